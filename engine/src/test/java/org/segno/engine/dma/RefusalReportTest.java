package org.segno.engine.dma;

import static java.util.concurrent.TimeUnit.SECONDS;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.agrona.concurrent.errors.ErrorLogReader;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.segno.context.Context;
import org.segno.engine.descriptor.Descriptor;
import org.segno.engine.memory.NodeLayout;
import org.segno.engine.memory.NodeLayout.Part;
import org.segno.engine.memory.NodeMemory;
import org.segno.engine.memory.NodeSize;
import org.segno.engine.memory.PeerStates;
import org.segno.memory.ReceptionCounter;
import org.segno.memory.Right;
import org.segno.memory.Target;
import org.segno.memory.Window;
import org.segno.pattern.Pattern;
import org.segno.pattern.Rounds;
import org.segno.status.Deadline;
import org.segno.status.PeerFailedException;
import org.segno.status.Refusal;

/** Texts of refusals in the error log of a node. */
class RefusalReportTest {
    @TempDir
    Path directory;

    private EngineFixture engines;
    private Context sender;
    private Window source;

    @BeforeEach
    void make() {
        engines = EngineFixture.open(
                directory, NodeSize.small().ranks(3).windowBytes(1 << 16).dimensions());
        sender = engines.context(0);
        source = engines.client(0).window(64);
    }

    @AfterEach
    void close() {
        engines.close();
    }

    @Test
    void shouldRecordTheFirstRefusalOfEachKindByEachRank() {
        for (int round = 0; round < 3; round++) {
            for (int rank = 1; rank < 3; rank++) {
                sender.put(readable(rank, round), 0, source, 0, 8);
                engines.settle();
            }
        }
        sender.put(new Target(2, 9, 1, 100, false), 0, source, 0, 8);
        engines.settle();

        assertThat(engines.metrics(0).get(Refusal.NOT_WRITABLE)).isEqualTo(6);
        final List<String> texts = errors();
        assertThat(texts).hasSize(3);
        assertThat(texts.get(0)).contains(Refusal.NOT_WRITABLE.reason() + ": PUT to rank 1 ");
        assertThat(texts.get(1)).contains(Refusal.NOT_WRITABLE.reason() + ": PUT to rank 2 ");
        assertThat(texts.get(2)).contains(Refusal.COUNTER_DISABLED.reason() + ": PUT to rank 2 ");
    }

    @Test
    void shouldRecordImpossibleRanksOfAKindOnce() {
        final Target target = readable(1, 0);
        for (final int rank : new int[] {3, -1, Integer.MIN_VALUE, Integer.MAX_VALUE}) {
            final long position =
                    sender.fifo().descriptorsAcquire() + sender.fifo().fill();
            sender.put(target, 0, source, 0, 8);
            final NodeMemory node = engines.memory(0);
            final long slot = node.layout().offset(Part.FIFO_SLOTS) + position * Descriptor.LENGTH;
            node.owner().putInt(slot + Descriptor.RANK_OFFSET, rank);
        }
        engines.settle();

        assertThat(engines.metrics(0).get(Refusal.NO_SUCH_RANK)).isEqualTo(4);
        assertThat(errors()).hasSize(1);
    }

    @Test
    void shouldNameTheCounterAndTheDeadRankOfAWait() {
        final ReceptionCounter inbox = engines.client(0).receptionCounter(source, 0, 8, 2);
        inbox.expect(8);
        sender.waitUntil(inbox, 0);
        engines.settle();
        engines.states(0).change(2, PeerStates.DEAD);
        engines.settle();

        assertThat(errors()).hasSize(1);
        assertThat(errors().get(0))
                .contains("refused: rank 2 has died: WAIT for reception counter " + inbox.id() + " at or below 0")
                .doesNotContain("rank 0", "window");
    }

    @Test
    void shouldNameTheDeadRankToTheWaiterForAPatternWithAWait() {
        final ReceptionCounter inbox = engines.client(0).receptionCounter(source, 0, 8, 2);
        inbox.expect(8);
        final Pattern pattern = sender.prepare(Rounds.ORDERED_BY_CALLER, () -> sender.waitUntil(inbox, 0));
        final long round = sender.replay(pattern);
        engines.settle();
        engines.states(0).change(2, PeerStates.DEAD);

        assertThatThrownBy(() -> sender.await(pattern, round, Deadline.in(5, SECONDS)))
                .isInstanceOfSatisfying(
                        PeerFailedException.class,
                        failed -> assertThat(failed.rank()).isEqualTo(2));
    }

    private Target readable(int rank, int round) {
        final ReceptionCounter counter = engines.client(rank)
                .receptionCounter(engines.client(rank).window(8), 0, 8, ReceptionCounter.ANYBODY, Right.GET);
        final String name = "readable " + round;
        engines.client(rank).publish(name, counter);
        return sender.attach(rank, name, Deadline.in(5, SECONDS));
    }

    private List<String> errors() {
        final NodeMemory node = engines.memory(0);
        final List<String> texts = new ArrayList<>();
        ErrorLogReader.read(
                node.owner().buffer(node.layout().offset(Part.ERROR_LOG), NodeLayout.ERROR_LOG_LENGTH),
                (observations, first, last, text) ->
                        texts.add(text.lines().findFirst().orElse("")));
        return texts;
    }
}
