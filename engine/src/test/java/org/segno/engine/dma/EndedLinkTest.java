package org.segno.engine.dma;

import static java.util.concurrent.TimeUnit.SECONDS;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.file.Path;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.segno.context.Context;
import org.segno.engine.memory.NodeSize;
import org.segno.engine.memory.PeerStates;
import org.segno.memory.InjectionCounter;
import org.segno.memory.ReceptionCounter;
import org.segno.memory.Right;
import org.segno.memory.Target;
import org.segno.memory.Window;
import org.segno.status.Deadline;
import org.segno.status.PeerFailedException;

/** A peer ends the link before the hub reports how it has ended: over a network the two have no order. */
class EndedLinkTest {
    private static final int PASSES = 100;

    @TempDir
    Path directory;

    private EngineFixture engines;
    private Context origin;
    private Window own;
    private InjectionCounter done;
    private Target to;

    @BeforeEach
    void make() {
        engines = EngineFixture.linked(directory, NodeSize.small().dimensions(), EngineFixture.SMALL_LINK);
        origin = engines.context(0);
        own = engines.client(0).window(64);
        done = engines.client(0).injectionCounter();
        final Window theirs = engines.client(1).window(64);
        final ReceptionCounter export = engines.client(1).receptionCounter(theirs, 0, 64, 0, Right.PUT);
        to = new Target(1, export.id(), export.incarnation(), 64, false);
    }

    @AfterEach
    void close() {
        engines.close();
    }

    private void endLink() {
        engines.link(1, 0).close();
        passes();
        assertThat(engines.states(0).stateAcquire(1))
                .as("the hub has not reported it")
                .isEqualTo(PeerStates.JOINED);
    }

    private void passes() {
        for (int i = 0; i < PASSES; i++) {
            engines.pass(0);
        }
    }

    private void put() {
        done.expect(8);
        origin.put(to, 0, own, 0, 8, done);
        passes();
    }

    @Test
    void shouldLetARankLeaveAfterTheEndOfItsLink() {
        put();
        endLink();
        assertThat(done.valueAcquire()).isEqualTo(8);
        engines.states(0).change(1, PeerStates.LEFT);
        passes();
        assertThat(engines.states(0).stateAcquire(1)).isEqualTo(PeerStates.LEFT);
        origin.await(done, Deadline.in(10, SECONDS));

        put();
        origin.await(done, Deadline.in(10, SECONDS));
        assertThat(origin.isDrained()).isTrue();
    }

    @Test
    void shouldReportTheDeathOfARankAfterTheEndOfItsLink() {
        endLink();
        put();
        assertThat(done.errorAcquire()).isZero();
        engines.states(0).change(1, PeerStates.DEAD);
        assertThatThrownBy(() -> origin.await(done, Deadline.in(10, SECONDS)))
                .isInstanceOf(PeerFailedException.class)
                .hasMessageContaining("rank 1 has died");
    }

    @Test
    void shouldCutARankOffThatEndsItsLinkAndStays() {
        put();
        endLink();
        assertThatThrownBy(() -> origin.await(done, Deadline.in(10, SECONDS)))
                .isInstanceOf(PeerFailedException.class)
                .hasMessageContaining("the link to rank 1 has failed");
        assertThat(engines.states(0).stateAcquire(1)).isEqualTo(PeerStates.CUT);
    }
}
