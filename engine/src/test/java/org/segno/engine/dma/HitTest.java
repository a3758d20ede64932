package org.segno.engine.dma;

import static java.util.concurrent.TimeUnit.SECONDS;
import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.segno.engine.memory.NodeSize;
import org.segno.engine.metrics.Metric;
import org.segno.memory.CounterPair;
import org.segno.memory.ReceptionCounter;
import org.segno.memory.Target;
import org.segno.memory.Window;
import org.segno.pattern.Pattern;
import org.segno.pattern.Rounds;
import org.segno.status.Deadline;

/** Events for the hits of a counter: their receivers and their times. Rank 1 owns the counter. */
class HitTest {
    /** Empty records that a lane of 4096 bytes holds, with a header behind the last. */
    private static final int LANE_RECORDS = 255;

    @TempDir
    Path directory;

    private final List<Integer> hits = new ArrayList<>();
    private EngineFixture engines;
    private ReceptionCounter counter;
    private Window source;
    private Target in;

    @BeforeEach
    void make() {
        engines = EngineFixture.open(directory, NodeSize.small().dimensions());
        source = engines.client(0).window(1024);
        counter = engines.client(1).receptionCounter(engines.client(1).window(1024), 0, 1024);
        engines.context(1).onHit(counter, hits::add);
        engines.client(1).publish("in", counter);
        in = engines.context(0).attach(1, "in", Deadline.in(10, SECONDS));
    }

    @AfterEach
    void close() {
        engines.close();
    }

    @Test
    void shouldRaiseAnEventForTheLastByteThatLands() {
        counter.expect(100);
        engines.context(0).put(in, 0, source, 0, 60);
        engines.settle();
        assertThat(hits).isEmpty();
        engines.context(0).put(in, 60, source, 0, 40);
        engines.settle();
        assertThat(hits).containsExactly(counter.id());
        assertThat(engines.metrics(0).get(Metric.HITS)).isEqualTo(1);
    }

    @Test
    void shouldRaiseAnEventForAnExpectationThatComesAfterItsData() {
        engines.context(0).put(in, 0, source, 0, 60);
        engines.settle();
        assertThat(hits).isEmpty();

        counter.expect(60);
        assertThat(hits).as("not before the next advance").isEmpty();
        engines.context(1).advance();
        assertThat(hits).containsExactly(counter.id());
    }

    @Test
    void shouldRaiseOneEventForSeveralExpectationsBetweenTwoPasses() {
        engines.context(0).put(in, 0, source, 0, 60);
        engines.settle();
        counter.expect(10);
        counter.expect(10);
        counter.expect(40);
        engines.settle();
        assertThat(hits).containsExactly(counter.id());
    }

    @Test
    void shouldRaiseAnEventForACount() {
        counter.expect(2);
        engines.context(0).count(in, -1);
        engines.context(0).count(in, -1);
        engines.settle();
        assertThat(hits).containsExactly(counter.id());
    }

    @Test
    void shouldRaiseAnEventForEveryRoundOfAPattern() {
        final Window target = engines.client(1).window(64);
        final CounterPair pair = engines.client(1).counterPair(target, 0, 32, 32);
        engines.context(1).onHit(pair.counter(0), hits::add);
        engines.context(1).onHit(pair.counter(1), hits::add);
        engines.client(1).publish("pair", pair);
        final Target to = engines.context(0).attach(1, "pair", Deadline.in(10, SECONDS));
        final Pattern pattern = engines.context(0)
                .record(1, Rounds.ALTERNATE, () -> engines.context(0).put(to, 0, source, 0, 8));
        for (long round = 1; round <= 100; round++) {
            if (round > 1) {
                assertThat(engines.context(0).replay(pattern)).isEqualTo(round);
            }
            // In odd rounds the data arrive first.
            if (round % 2 == 0) {
                pair.counter(round).expect(8);
                engines.settle();
            } else {
                engines.settle();
                pair.counter(round).expect(8);
                engines.settle();
            }
            assertThat(hits).containsExactly(pair.counter(round).id());
            hits.clear();
        }
    }

    /** Fills the lane that the event needs: the data wait with it, and neither is lost. */
    @Test
    void shouldHoldTheDataBackWhileTheEventDoesNotFit() {
        for (int i = 0; i < LANE_RECORDS; i++) {
            assertThat(engines.context(0).sendImmediate(1, 3, source.buffer(), 0, 0))
                    .isNotNegative();
            engines.pass(0);
        }
        counter.expect(8);
        engines.context(0).put(in, 0, source, 0, 8);
        engines.pass(0);
        engines.pass(0);
        assertThat(engines.context(0).fifo().fill()).isEqualTo(1);
        assertThat(counter.valueAcquire()).isEqualTo(8);
        assertThat(engines.metrics(0).get(Metric.BLOCKED)).isEqualTo(2);

        engines.settle();
        assertThat(engines.metrics(1).get(Metric.UNKNOWN_DISPATCH)).isEqualTo(LANE_RECORDS);
        assertThat(counter.valueAcquire()).isZero();
        assertThat(hits).containsExactly(counter.id());
    }

    @Test
    void shouldDeliverTheHitsOfOtherCountersWhenAHandlerThrows() {
        final ReceptionCounter second =
                engines.client(1).receptionCounter(engines.client(1).window(8), 0, 8);
        engines.context(1).onHit(second, id -> {
            throw new IllegalStateException("hit " + id);
        });
        second.expect(0);
        counter.expect(0);
        int thrown = 0;
        for (int i = 0; i < 3; i++) {
            try {
                engines.context(1).advance();
            } catch (final IllegalStateException e) {
                thrown++;
            }
        }
        assertThat(thrown).isEqualTo(1);
        assertThat(hits).containsExactly(counter.id());
    }
}
