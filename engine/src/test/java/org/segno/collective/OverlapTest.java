package org.segno.collective;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.atomic.AtomicIntegerArray;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.segno.context.Context;
import org.segno.node.InProcessJob;
import org.segno.node.OverMemoryAndLinks;
import org.segno.status.Status;

/** Many rounds of members that run at different speeds, so that one is often a round ahead of another. */
@OverMemoryAndLinks
@Timeout(180)
class OverlapTest {
    private static final int MEMBERS = 4;
    private static final int BARRIERS = 800;
    private static final int MORE_BARRIERS = 10_000;
    private static final long REPLAYS = 20_000;
    private static final long MORE_REPLAYS = 1_000_000;

    @TempDir
    Path directory;

    private static long deadline() {
        return InProcessJob.deadline();
    }

    /** Returns the largest number of replays of the sum, which is smaller over a network. */
    long replays() {
        return MORE_REPLAYS;
    }

    /** Advances a few times or not at all; a member with a higher number more often. */
    private static void drift(Context context, Random chance, int self) {
        for (int i = chance.nextInt(2 + 4 * self); i > 2; i--) {
            context.advance();
        }
        if (chance.nextInt(64) == 0) {
            WorldMember.yieldCore();
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"counters", "dissemination", "hosts"})
    void shouldSeparateOverlappingBarriers(String algorithm) throws Exception {
        overlap(algorithm, BARRIERS);
    }

    @ParameterizedTest
    @Tag("long")
    @ValueSource(strings = {"counters", "dissemination", "hosts"})
    void shouldSeparateManyOverlappingBarriers(String algorithm) throws Exception {
        overlap(algorithm, MORE_BARRIERS);
    }

    private void overlap(String algorithm, int barriers) throws Exception {
        final AtomicIntegerArray entered = new AtomicIntegerArray(MEMBERS);
        WorldMember.run(directory, MEMBERS, member -> {
            final Context context = member.client().context();
            final Random chance = new Random(member.self());
            member.world().hosts(Hosts.of(0, 0, 1, 1));
            final Collective barrier = member.world().prepare(Call.barrier().by(algorithm), deadline());
            for (int round = 1; round <= barriers; round++) {
                entered.set(member.self(), round);
                long status = barrier.start();
                while (status == Status.BUSY || status == Status.BACK_PRESSURED) {
                    if (context.advance() == 0) {
                        WorldMember.yieldCore();
                    }
                    status = barrier.start();
                }
                assertThat(status).isEqualTo(round);
                requireEntered(entered, round - 1);
                drift(context, chance, member.self());
            }
            barrier.await(deadline());
            requireEntered(entered, barriers);
        });
    }

    private static void requireEntered(AtomicIntegerArray entered, int round) {
        for (int member = 0; member < MEMBERS; member++) {
            if (entered.get(member) < round) {
                throw new AssertionError("round " + round + " is complete without member " + member + ": " + entered);
            }
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"counters", "dissemination", "hosts"})
    void shouldSeparateBarriersOfSeveralRecords(String algorithm) throws Exception {
        final int records = 3;
        final AtomicIntegerArray entered = new AtomicIntegerArray(MEMBERS);
        WorldMember.run(directory, MEMBERS, member -> {
            final Context context = member.client().context();
            final Random chance = new Random(member.self());
            final List<Collective> barriers = new ArrayList<>();
            member.world().hosts(Hosts.of(0, 0, 1, 1));
            for (int i = 0; i < records; i++) {
                barriers.add(member.world().prepare(Call.barrier().by(algorithm), deadline()));
            }
            for (int round = 1; round <= BARRIERS; round++) {
                final Collective barrier = barriers.get(round % records);
                barrier.await(deadline());
                requireEntered(entered, round - records);
                entered.set(member.self(), round);
                assertThat(barrier.start()).isPositive();
                drift(context, chance, member.self());
            }
            for (final Collective barrier : barriers) {
                barrier.await(deadline());
            }
            requireEntered(entered, BARRIERS);
        });
    }

    @Test
    void shouldGiveTheSumOfEveryReplay() throws Exception {
        replay(REPLAYS);
    }

    @Test
    @Tag("long")
    void shouldGiveTheSumOfEachOfManyReplays() throws Exception {
        replay(replays());
    }

    private void replay(long replays) throws Exception {
        WorldMember.run(directory, 2, member -> {
            final Collective sum = member.world().prepare(WorldMember.SUM, deadline());
            for (long round = 1; round <= replays; round++) {
                sum.input().putLong(0, value(member.self(), round));
                sum.run(InProcessJob.deadline());
                final long found = sum.output().getLong(0);
                if (found != value(0, round) + value(1, round)) {
                    throw new AssertionError("round " + round + ": " + found);
                }
            }
            assertThat(sum.round()).isEqualTo(replays);
        });
    }

    private static long value(int member, long round) {
        return (round * 31 + member) * 1_000_003;
    }
}
