package org.segno.multisend;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.file.Path;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.segno.context.Client;
import org.segno.engine.dma.EngineFixture;
import org.segno.engine.memory.NodeSize;
import org.segno.engine.memory.PeerStates;
import org.segno.geometry.Endpoint;
import org.segno.memory.CounterPair;
import org.segno.memory.Target;
import org.segno.memory.Window;
import org.segno.multisend.ManyToMany.Places;
import org.segno.multisend.ManyToMany.Sides;
import org.segno.pattern.Rounds;
import org.segno.status.ClosedException;
import org.segno.status.Deadline;
import org.segno.status.PeerFailedException;
import org.segno.status.Status;

/** Multisends of rank 0 with rank 1, in which rank 1 dies during a round, or rank 2, which takes no part. */
@Timeout(120)
class DeadPeerTest {
    @TempDir
    Path directory;

    private EngineFixture engines;
    private Client client;
    private Window window;

    @BeforeEach
    void make() {
        engines = EngineFixture.open(
                directory, NodeSize.small().ranks(3).counters(32).contexts(2).dimensions());
        client = engines.client(0);
        window = client.window(256);
    }

    @AfterEach
    void close() {
        engines.close();
    }

    private static ManyToMany open(Client client, int peer) {
        final Window window = client.window(64);
        final Pieces pieces = new Pieces().add(peer, 0, 8);
        return ManyToMany.open(
                client,
                client.context(),
                1,
                new Sides(window, pieces, new Places(window, 16, 32, 8), pieces),
                Deadline.in(30, TimeUnit.SECONDS));
    }

    private ManyToMany openBoth() {
        final CompletableFuture<ManyToMany> other = CompletableFuture.supplyAsync(() -> open(engines.client(1), 0));
        final ManyToMany exchange = open(client, 1);
        other.join();
        return exchange;
    }

    /** Requires BUSY as long as the last start can still be completed, and the failure from then on. */
    private void failsAfterDeath(ThrowingCallable start, Runnable busy) {
        busy.run();
        engines.states(0).change(2, PeerStates.DEAD);
        busy.run();
        engines.states(0).change(1, PeerStates.DEAD);
        for (int times = 0; times < 2; times++) {
            assertThatThrownBy(start)
                    .isInstanceOfSatisfying(
                            PeerFailedException.class,
                            failed -> assertThat(failed.rank()).isEqualTo(1))
                    .hasMessageContaining("has died");
        }
    }

    @Test
    void shouldReportTheDeathOfAPartnerOfAnIncompleteExchange() {
        final ManyToMany exchange = openBoth();
        assertThat(exchange.start()).isEqualTo(1);
        failsAfterDeath(exchange::start, () -> assertThat(exchange.start()).isEqualTo(Status.BUSY));
    }

    @Test
    void shouldCompleteTheLastRoundOfAPartnerThatHasLeftAndStartNoOther() throws Exception {
        final CompletableFuture<ManyToMany> opened = CompletableFuture.supplyAsync(() -> open(engines.client(1), 0));
        final ManyToMany exchange = open(client, 1);
        final ManyToMany other = opened.get();
        assertThat(exchange.start()).isEqualTo(1);
        assertThat(other.start()).isEqualTo(1);
        engines.settle();
        engines.states(0).change(2, PeerStates.LEFT);
        exchange.await(Deadline.in(30, TimeUnit.SECONDS));
        assertThat(exchange.start()).isEqualTo(2);
        assertThat(other.start()).isEqualTo(2);
        engines.settle();
        engines.states(0).change(1, PeerStates.LEFT);
        exchange.await(Deadline.in(30, TimeUnit.SECONDS));
        for (int times = 0; times < 2; times++) {
            assertThatThrownBy(exchange::start)
                    .isInstanceOf(ClosedException.class)
                    .hasMessageContaining("rank 1 has left the job; many-to-many.1")
                    .hasMessageContaining("needs this rank: close it, and open it without the rank");
        }
        assertThat(exchange.round()).isEqualTo(2);
        exchange.close();
    }

    @Test
    void shouldReportTheDeathOfATargetOfAMulticast() {
        final Multicast cast = new Multicast(
                        client.context(), 9, window, Endpoint.of(0, 0, 0, 0), Endpoint.of(1, 0, 0, 0))
                .payload(window, 0, 8);
        assertThat(cast.start()).isEqualTo(1);
        failsAfterDeath(cast::start, () -> assertThat(cast.start()).isEqualTo(Status.BUSY));
    }

    @Test
    void shouldReportTheDeathOfARankOfAJointPattern() {
        final Client other = engines.client(1);
        final CounterPair there = other.counterPair(other.window(64), 0, 16, 16);
        other.publish("there", there);
        final Target target = client.context().attach(1, "there", Deadline.in(30, TimeUnit.SECONDS));
        final JointPattern joint = JointPattern.record(
                7,
                Rounds.ALTERNATE,
                () -> {
                    client.context(0).put(target, 0, window, 0, 8);
                    client.context(1).put(target, 8, window, 8, 8);
                },
                client.context(0),
                client.context(1));
        failsAfterDeath(joint::replay, () -> assertThat(joint.replay()).isEqualTo(Status.BUSY));
    }

    @Test
    void shouldOpenAmongLiveRanksAfterTheDeathOfAnother() {
        for (int rank = 0; rank < 2; rank++) {
            engines.states(rank).change(2, PeerStates.DEAD);
        }
        final ManyToMany exchange = openBoth();
        assertThat(exchange.start()).isEqualTo(1);
    }
}
