package org.segno.collective;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.agrona.concurrent.UnsafeBuffer;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.segno.node.InProcessJob;
import org.segno.node.NodeConfig;
import org.segno.node.OverMemoryAndLinks;
import org.segno.status.Deadline;
import org.segno.status.DeadlineException;

/** Collectives that a geometry has recorded: their number, their close, and what they need. */
@OverMemoryAndLinks
@Timeout(120)
class RecordedCollectivesTest {
    private static final int CALLS = 150;

    @TempDir
    Path directory;

    private static long deadline() {
        return InProcessJob.deadline();
    }

    private static Call sum(long elements) {
        return Call.allreduce(elements * Long.BYTES, Objects.requireNonNull(WorldMember.SUM.reduction()));
    }

    private static void requireSum(Geometry world, int elements) {
        final UnsafeBuffer buffer = new UnsafeBuffer(new byte[elements * Long.BYTES]);
        final int last = (elements - 1) * Long.BYTES;
        buffer.putLong(last, world.self() + 1);
        world.run(sum(elements), buffer, 0, buffer, 0, deadline());
        assertThat(buffer.getLong(last)).isEqualTo(world.size() * (world.size() + 1L) / 2);
    }

    @Test
    void shouldRecordAgainWhatTheApplicationHasClosed() throws Exception {
        WorldMember.run(directory, 3, member -> {
            final Geometry world = member.world();
            for (int elements = 1; elements <= CALLS; elements++) {
                requireSum(world, elements);
                final Collective recorded = world.collective(sum(elements), deadline());
                recorded.close();
                recorded.close();
            }
            final Collective one = world.collective(sum(1), deadline());
            assertThat(one.round()).isZero();
            // That another one of the same arguments is closed leaves the recorded one as it is.
            world.prepare(sum(1), deadline()).close();
            assertThat(world.collective(sum(1), deadline())).isSameAs(one);
            requireSum(world, 1);
        });
    }

    /** Fails at the deadline at member 0, before any other member begins. */
    private static void requireLate(WorldMember member, CountDownLatch late, ThrowingCallable call) throws Exception {
        if (member.self() == 0) {
            assertThatThrownBy(call).isInstanceOf(DeadlineException.class);
            late.countDown();
        } else {
            assertThat(late.await(60, TimeUnit.SECONDS)).isTrue();
        }
    }

    private static long soon() {
        return Deadline.in(5, TimeUnit.MILLISECONDS);
    }

    @Test
    void shouldContinueTheRoundThatHasHitItsDeadlineIfTheCallIsRepeated() throws Exception {
        final CountDownLatch late = new CountDownLatch(1);
        WorldMember.run(directory, 3, member -> {
            final Geometry world = member.world();
            requireSum(world, 1);
            final UnsafeBuffer buffer = new UnsafeBuffer(new byte[Long.BYTES]);
            buffer.putLong(0, 1);
            requireLate(member, late, () -> world.run(sum(1), buffer, 0, buffer, 0, soon()));
            // The contribution belongs to the round in progress.
            buffer.putLong(0, member.self() == 0 ? 1000 : 1);
            world.run(sum(1), buffer, 0, buffer, 0, deadline());
            assertThat(buffer.getLong(0)).isEqualTo(3);
            assertThat(world.collective(sum(1), deadline()).round()).isEqualTo(2);
        });
    }

    @Test
    void shouldContinueABarrierThatHasHitItsDeadline() throws Exception {
        final CountDownLatch late = new CountDownLatch(1);
        WorldMember.run(directory, 3, member -> {
            final Geometry world = member.world();
            world.barrier(deadline());
            requireLate(member, late, () -> world.barrier(soon()));
            world.barrier(deadline());
            assertThat(world.collective(Call.barrier(), deadline()).round()).isEqualTo(2);
        });
    }

    @Test
    void shouldStartAnotherRoundOnceTheOneThatHasHitItsDeadlineWasAwaited() throws Exception {
        final CountDownLatch late = new CountDownLatch(1);
        WorldMember.run(directory, 2, member -> {
            final Geometry world = member.world();
            world.barrier(deadline());
            final Collective barrier = world.collective(Call.barrier(), deadline());
            requireLate(member, late, () -> world.barrier(soon()));
            if (member.self() == 0) {
                barrier.await(deadline());
            } else {
                world.barrier(deadline());
            }
            world.barrier(deadline());
            assertThat(barrier.round()).isEqualTo(3);
        });
    }

    @Test
    void shouldLeaveTheBufferOfTheFirstMemberOfAnExclusiveScanUnchanged() throws Exception {
        final Call scan = Call.exclusiveScan(Long.BYTES, Objects.requireNonNull(WorldMember.SUM.reduction()));
        WorldMember.run(directory, 3, member -> {
            final UnsafeBuffer source = new UnsafeBuffer(new byte[Long.BYTES]);
            final UnsafeBuffer target = new UnsafeBuffer(new byte[Long.BYTES]);
            for (int round = 1; round <= 3; round++) {
                source.putLong(0, round);
                target.putLong(0, -1);
                member.world().run(scan, source, 0, target, 0, deadline());
                assertThat(target.getLong(0)).isEqualTo(member.self() == 0 ? -1 : round * (long) member.self());
                // In place.
                member.world().run(scan, source, 0, source, 0, deadline());
                assertThat(source.getLong(0)).isEqualTo(member.self() == 0 ? round : round * (long) member.self());
            }
        });
    }

    @Test
    void shouldRecordAsManyCallsAsThereAreWindowsAndCounters() throws Exception {
        final NodeConfig config = WorldMember.config()
                .withWindows(CALLS + 10)
                .withCounters(16, 4 * CALLS)
                .withWindowBytes(4 << 20);
        WorldMember.run(directory, Collections.nCopies(2, config), member -> {
            for (int elements = 1; elements <= CALLS; elements++) {
                requireSum(member.world(), elements);
            }
            requireSum(member.world(), 1);
        });
    }

    /** One member has few windows, counters, or memory of windows or patterns. */
    private static Stream<NodeConfig> narrow() {
        final NodeConfig wide = wide();
        return Stream.of(
                wide.withWindows(6),
                wide.withCounters(16, 16),
                wide.withWindowBytes(1 << 15),
                wide.withPatternBufferBytes(1 << 14));
    }

    private static NodeConfig wide() {
        return WorldMember.config().withWindows(1_000).withCounters(16, 2_000).withWindowBytes(16 << 20);
    }

    @ParameterizedTest
    @MethodSource("narrow")
    void shouldCloseWhatWasRunLeastRecentlyIfAMemberHasNoRoom(NodeConfig narrow) throws Exception {
        WorldMember.run(directory, List.of(wide(), narrow, wide()), member -> {
            final Geometry world = member.world();
            final Collective held = world.collective(sum(3), deadline());
            for (int times = 0; times < 2; times++) {
                for (int elements = 1; elements <= CALLS; elements++) {
                    requireSum(world, elements);
                    exchange(world, elements % 7 + 1, elements % 5 + 1);
                    world.barrier(deadline());
                }
            }
            assertThat(world.collective(sum(3), deadline())).isSameAs(held);
            requireSum(world, 3);
        });
    }

    @Test
    void shouldMakeRoomAfterOneMemberHasContinuedARound() throws Exception {
        final CountDownLatch late = new CountDownLatch(1);
        WorldMember.run(directory, Collections.nCopies(2, WorldMember.config().withWindows(4)), member -> {
            final Geometry world = member.world();
            requireSum(world, 1);
            requireSum(world, 2);
            if (member.self() == 0) {
                final UnsafeBuffer one = new UnsafeBuffer(new byte[Long.BYTES]);
                one.putLong(0, 1);
                assertThatThrownBy(() -> world.run(sum(1), one, 0, one, 0, Deadline.in(50, TimeUnit.MILLISECONDS)))
                        .isInstanceOf(DeadlineException.class);
                late.countDown();
            } else {
                assertThat(late.await(60, TimeUnit.SECONDS)).isTrue();
                requireSum(world, 1);
            }
            requireSum(world, 2);
            if (member.self() == 0) {
                requireSum(world, 1);
            }
            for (int elements = 3; elements < 12; elements++) {
                requireSum(world, elements);
            }
        });
    }

    /** Exchanges blocks of two lengths, in turn. */
    private static void exchange(Geometry world, long even, long odd) {
        final long[] sent = new long[world.size()];
        final long[] received = new long[world.size()];
        for (int member = 0; member < world.size(); member++) {
            sent[member] = Long.BYTES * (world.self() % 2 == 0 ? even : odd);
            received[member] = Long.BYTES * (member % 2 == 0 ? even : odd);
        }
        final UnsafeBuffer source = new UnsafeBuffer(new byte[world.size() * Long.BYTES * 8]);
        final UnsafeBuffer target = new UnsafeBuffer(new byte[world.size() * Long.BYTES * 8]);
        source.setMemory(0, source.capacity(), (byte) (world.self() + 1));
        world.run(Call.allToAll(Lengths.of(sent), Lengths.of(received)), source, 0, target, 0, deadline());
        int offset = 0;
        for (int member = 0; member < world.size(); member++) {
            for (int end = offset + (int) received[member]; offset < end; offset++) {
                assertThat(target.getByte(offset)).isEqualTo((byte) (member + 1));
            }
        }
    }

    private static void requireReason(Geometry world, Call call, String reason) {
        assertThatThrownBy(() -> world.prepare(call, deadline()))
                .isInstanceOf(IllegalStateException.class)
                .hasMessageContaining(reason);
    }

    @Test
    void shouldNameAllThatACollectiveNeedsAndTheSettingsToRaise() throws Exception {
        final Call doubling = sum(1024).by("recursive-doubling");
        final NodeConfig config = WorldMember.config().withWindows(3).withCounters(16, 12);
        WorldMember.run(directory, Collections.nCopies(4, config), member -> {
            final Geometry world = member.world();
            final List<Collective> open = new ArrayList<>();
            // Held here, so that it is not closed to make room.
            world.collective(sum(1), deadline());
            open.add(world.prepare(doubling, deadline()));
            requireReason(
                    world,
                    doubling,
                    "allreduce by recursive-doubling needs 2 counter pairs and 1 window; free: 1 and 0; close"
                            + " collectives, or raise withCounters by two for each pair and NodeConfig.withWindows");
            requireReason(world, Call.barrier(), "or raise NodeConfig.withWindows");
            open.forEach(Collective::close);
            open.clear();
            open.add(world.prepare(sum(1), deadline()));
            requireReason(world, Call.barrier(), "free: 2 and 0; close collectives, or raise NodeConfig.withWindows");
            open.forEach(Collective::close);
        });
        final NodeConfig few = WorldMember.config().withCounters(16, 8);
        WorldMember.run(directory, Collections.nCopies(4, few), member -> {
            member.world().collective(sum(1), deadline());
            requireReason(
                    member.world(),
                    doubling,
                    "allreduce by recursive-doubling needs 2 counter pairs and 1 window; free: 1 and 62; close"
                            + " collectives, or raise withCounters by two for each pair");
        });
    }
}
