package org.segno.multisend;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.segno.context.Client;
import org.segno.context.Context;
import org.segno.geometry.Endpoint;
import org.segno.memory.Window;
import org.segno.node.InProcessJob;
import org.segno.node.NodeConfig;
import org.segno.node.NodeConfig.Threading;
import org.segno.node.OverMemoryAndLinks;
import org.segno.pattern.Pattern;
import org.segno.pattern.Rounds;
import org.segno.saved.SavedPatterns;

/** Operations that would record or replay within a recording: each is refused with its reason and changes nothing. */
@Timeout(120)
@OverMemoryAndLinks
class NestedRecordingTest {
    private static final int ID = 7;
    private static final int RECORDED = 8;
    private static final int DISPATCH = 9;
    private static final String NESTS = "recordings do not nest";
    private static final String REPLAYS = "a replay is not possible in a handler or inside record";

    @TempDir
    Path directory;

    private InProcessJob job;
    private Client client;
    private Context first;
    private Context second;
    private Window window;
    private Pattern recorded;
    private JointPattern joint;
    private Multicast fresh;
    private Multicast started;
    private ManyToMany freshPieces;
    private ManyToMany startedPieces;
    private int received;

    /** Kind of the recording that is open when another operation is tried. */
    enum Outer {
        RECORD,
        PREPARE,
        JOINT
    }

    @BeforeEach
    void join() {
        job = InProcessJob.join(
                directory,
                1,
                NodeConfig.defaults()
                        .withThreading(Threading.INVOKER)
                        .withContexts(2)
                        .withWindowBytes(1 << 14));
        client = job.node(0).client();
        first = client.context(0);
        second = client.context(1);
        window = client.window(1024);
        first.handler(DISPATCH, (from, buffer, m, ml, p, pl) -> received++);
        recorded = first.record(RECORDED, Rounds.ORDERED_BY_CALLER, () -> copy(first));
        first.await(recorded, 1, InProcessJob.deadline());
        joint = JointPattern.record(RECORDED + 1, Rounds.ORDERED_BY_CALLER, this::copyInBoth, first, second);
        joint.await(1, InProcessJob.deadline());
        fresh = new Multicast(first, DISPATCH, window, Endpoint.of(0, 0, 0, 0));
        started = new Multicast(first, DISPATCH, window, Endpoint.of(0, 0, 0, 0));
        started.start();
        started.await(InProcessJob.deadline());
        freshPieces = open(1);
        startedPieces = open(2);
        startedPieces.start();
        startedPieces.await(InProcessJob.deadline());
    }

    private ManyToMany open(int connection) {
        final Pieces piece = new Pieces().add(0, 0, 8);
        final ManyToMany.Places places = new ManyToMany.Places(client.window(256), 0, 128, 8);
        return ManyToMany.open(
                client, first, connection, new ManyToMany.Sides(window, piece, places, piece), InProcessJob.deadline());
    }

    @AfterEach
    void close() {
        job.close();
    }

    private void copy(Context context) {
        context.copy(window, 0, window, 512, 8);
    }

    private void copyInBoth() {
        copy(first);
        copy(second);
    }

    /** Copies in each context that the recording includes. */
    private void copyInEach(Outer outer) {
        copy(first);
        if (outer == Outer.JOINT) {
            copy(second);
        }
    }

    private void record(Outer outer, Runnable body) {
        switch (outer) {
            case RECORD -> first.record(ID, Rounds.ORDERED_BY_CALLER, body);
            case PREPARE -> first.prepare(Rounds.ORDERED_BY_CALLER, body);
            case JOINT -> JointPattern.record(ID, Rounds.ORDERED_BY_CALLER, body, first, second);
        }
    }

    /** Returns the operations that are refused within a recording of the first context, and the reasons. */
    private Map<Runnable, String> inner() {
        final Map<Runnable, String> inner = new LinkedHashMap<>();
        inner.put(() -> first.record(ID + 3, Rounds.ALTERNATE, () -> copy(first)), NESTS);
        inner.put(() -> first.record(RECORDED, Rounds.ALTERNATE, () -> copy(first)), NESTS);
        inner.put(() -> first.prepare(Rounds.ALTERNATE, () -> copy(first)), NESTS);
        inner.put(() -> JointPattern.record(ID + 4, Rounds.ALTERNATE, this::copyInBoth, second, first), NESTS);
        inner.put(() -> first.replay(recorded), REPLAYS);
        inner.put(joint::replay, REPLAYS);
        inner.put(fresh::start, NESTS);
        inner.put(started::start, REPLAYS);
        inner.put(freshPieces::start, NESTS);
        inner.put(startedPieces::start, REPLAYS);
        inner.put(() -> first.await(recorded, 1, InProcessJob.deadline()), "a wait cannot be replayed");
        inner.put(
                () -> SavedPatterns.save(client, directory.resolve("patterns")),
                "saving or loading patterns cannot be replayed");
        inner.put(
                () -> SavedPatterns.load(client, directory.resolve("patterns"), InProcessJob.deadline()),
                "saving or loading patterns cannot be replayed");
        return inner;
    }

    @ParameterizedTest
    @EnumSource
    void shouldRefuseEveryOperationThatRecordsOrReplaysWithinARecording(Outer outer) {
        final int patterns = SavedPatterns.save(client, directory.resolve("before"));
        inner().forEach((body, reason) -> {
            assertThatThrownBy(() -> record(outer, () -> {
                        copyInEach(outer);
                        body.run();
                    }))
                    .isInstanceOf(IllegalStateException.class)
                    .hasMessageContaining(reason);
            assertThat(first.isRecording()).isFalse();
            assertThat(second.isRecording()).isFalse();
            assertThat(first.pattern(ID)).isNull();
            assertThat(second.pattern(ID)).isNull();
            first.fence(InProcessJob.deadline());
            second.fence(InProcessJob.deadline());
        });
        assertThat(SavedPatterns.save(client, directory.resolve("after"))).isEqualTo(patterns);
        sendAgain();
    }

    @Test
    void shouldStartNoPartOfAJointPatternWithinARecordingOfItsSecondContext() {
        for (final Runnable start : List.<Runnable>of(joint::replay, joint::queue)) {
            assertThatThrownBy(() -> second.record(ID, Rounds.ORDERED_BY_CALLER, start))
                    .isInstanceOf(IllegalStateException.class)
                    .hasMessageContaining(REPLAYS);
            assertThat(MultisendAccess.isPartlyStarted(joint)).isFalse();
        }
        assertThat(joint.replay()).isEqualTo(2);
        joint.await(2, InProcessJob.deadline());
    }

    /** Repeats the refused operations, which continue from their old state. */
    private void sendAgain() {
        assertThat(first.replay(recorded)).isEqualTo(2);
        first.await(recorded, 2, InProcessJob.deadline());
        assertThat(joint.replay()).isEqualTo(2);
        joint.await(2, InProcessJob.deadline());
        received = 0;
        assertThat(fresh.start()).isEqualTo(1);
        fresh.await(InProcessJob.deadline());
        assertThat(started.start()).isEqualTo(2);
        started.await(InProcessJob.deadline());
        first.await(() -> received == 2, InProcessJob.deadline());
        for (int round = 1; round <= 4; round++) {
            window.buffer().putLong(0, round);
            assertThat(freshPieces.start()).isEqualTo(round);
            freshPieces.await(InProcessJob.deadline());
            assertThat(startedPieces.start()).isEqualTo(round + 1);
            startedPieces.await(InProcessJob.deadline());
        }
    }

    @ParameterizedTest
    @EnumSource
    void shouldLetAnotherContextRecordByItself(Outer outer) {
        if (outer == Outer.JOINT) {
            assertThatThrownBy(() -> record(outer, () -> second.prepare(Rounds.ALTERNATE, () -> copy(second))))
                    .isInstanceOf(IllegalStateException.class)
                    .hasMessageContaining(NESTS);
            return;
        }
        record(outer, () -> {
            copy(first);
            final Pattern there = second.prepare(Rounds.ALTERNATE, () -> copy(second));
            assertThat(second.replay(there)).isEqualTo(1);
        });
        second.fence(InProcessJob.deadline());
    }
}
