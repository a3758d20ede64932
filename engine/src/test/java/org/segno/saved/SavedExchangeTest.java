package org.segno.saved;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.segno.context.Client;
import org.segno.memory.Window;
import org.segno.multisend.ManyToMany;
import org.segno.multisend.Pieces;
import org.segno.node.InProcessJob;
import org.segno.node.NodeConfig;
import org.segno.node.NodeConfig.Threading;
import org.segno.node.OverMemoryAndLinks;
import org.segno.pattern.Pattern;

/** Patterns of many-to-many exchanges, saved in one job and loaded in another. Nothing arms their counters. */
@Timeout(120)
@OverMemoryAndLinks
class SavedExchangeTest {
    private static final int RANKS = 2;
    private static final int ROUNDS = 7;

    @TempDir
    Path directory;

    /** The exchange of one rank: a word to each rank, itself included, from {@code at} on. */
    private static final class Member {
        private final Client client;
        private final int self;
        private final int at;
        private final Window window;
        private final ManyToMany exchange;

        Member(Client client, int at) {
            this.client = client;
            this.self = client.context().rank();
            this.at = at;
            this.window = client.window(512);
            final Pieces sent = new Pieces();
            final Pieces received = new Pieces();
            for (int rank = 0; rank < RANKS; rank++) {
                sent.add(rank, at + 8L * rank, 8);
                received.add(rank, 8L * rank, 8);
            }
            exchange = ManyToMany.open(
                    client,
                    client.context(),
                    3,
                    new ManyToMany.Sides(window, sent, new ManyToMany.Places(window, 256, 384, 64), received),
                    InProcessJob.deadline());
        }

        void rounds(int count) {
            for (int i = 0; i < count; i++) {
                final long round = exchange.round() + 1;
                for (int rank = 0; rank < RANKS; rank++) {
                    window.buffer().putLong(at + 8 * rank, 1000 * round + 10L * self + rank);
                }
                assertThat(exchange.start()).isEqualTo(round);
                exchange.await(InProcessJob.deadline());
                for (int rank = 0; rank < RANKS; rank++) {
                    assertThat(window.buffer().getLong((int) exchange.landingOffset(round) + 8 * rank))
                            .isEqualTo(1000 * round + 10L * rank + self);
                }
            }
        }

        Pattern load(Path file) {
            final List<Pattern> loaded = SavedPatterns.load(client, file, InProcessJob.deadline());
            assertThat(loaded).hasSize(1);
            return loaded.get(0);
        }

        void barrier() {
            client.context().barrier(InProcessJob.deadline());
        }
    }

    private InProcessJob job() {
        return InProcessJob.join(
                directory,
                RANKS,
                NodeConfig.defaults().withThreading(Threading.INVOKER).withWindowBytes(1 << 14));
    }

    private Path file(int rank) {
        return directory.resolve("saved." + rank);
    }

    private void save() throws Exception {
        try (InProcessJob job = job()) {
            job.onThreads(rank -> {
                final Member member = new Member(job.node(rank).client(), 0);
                member.rounds(ROUNDS);
                assertThat(SavedPatterns.save(member.client, file(rank))).isEqualTo(1);
                member.barrier();
            });
        }
    }

    @Test
    void shouldBeReplayedFromTheFirstRoundOn() throws Exception {
        save();
        try (InProcessJob job = job()) {
            job.onThreads(rank -> {
                final Member member = new Member(job.node(rank).client(), 0);
                // That of the other rank may have sent its first round before.
                final Pattern loaded = member.load(file(rank));
                member.rounds(ROUNDS);
                assertThat(loaded.generation()).isEqualTo(ROUNDS);
                member.barrier();
            });
        }
    }

    @Test
    void shouldBeReplacedWhenTheExchangeHasOtherPieces() throws Exception {
        save();
        try (InProcessJob job = job()) {
            job.onThreads(rank -> {
                final Member member = new Member(job.node(rank).client(), 64);
                final Pattern loaded = member.load(file(rank));
                member.rounds(ROUNDS);
                assertThat(loaded.isClosed()).isTrue();
                member.barrier();
            });
        }
    }

    @Test
    void shouldRefuseTheExchangeAfterTheApplicationHasReplayedItsPattern() throws Exception {
        save();
        try (InProcessJob job = job()) {
            job.onThreads(rank -> {
                final Member member = new Member(job.node(rank).client(), 0);
                final Pattern loaded = member.load(file(rank));
                for (long round = 1; round <= 3; round++) {
                    assertThat(member.client.context().replay(loaded)).isEqualTo(round);
                    member.client.context().await(loaded, round, InProcessJob.deadline());
                }
                assertThatThrownBy(member.exchange::start)
                        .isInstanceOf(IllegalStateException.class)
                        .hasMessageStartingWith("rounds of " + loaded + " have counted down counter pair");
                member.barrier();
            });
        }
    }
}
