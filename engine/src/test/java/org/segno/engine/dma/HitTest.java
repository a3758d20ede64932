package org.segno.engine.dma;

import static java.util.concurrent.TimeUnit.SECONDS;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.segno.context.Loan;
import org.segno.engine.memory.NodeSize;
import org.segno.engine.memory.PeerStates;
import org.segno.engine.metrics.Metric;
import org.segno.memory.Closing;
import org.segno.memory.CounterPair;
import org.segno.memory.ReceptionCounter;
import org.segno.memory.Target;
import org.segno.memory.Window;
import org.segno.operation.Message;
import org.segno.pattern.Pattern;
import org.segno.pattern.Rounds;
import org.segno.status.Deadline;

/** Events for the hits of a counter: their receivers and their times. Rank 1 owns the counter. */
class HitTest {
    /** Empty records that a lane of 4096 bytes holds, with a header behind the last. */
    private static final int LANE_RECORDS = 255;

    private static final int MANY = 40;
    private static final int TURNS = 100;
    private static final int ID = 3;

    @TempDir
    Path directory;

    private final List<Integer> hits = new ArrayList<>();
    private final List<List<Target>> targets = List.of(new ArrayList<>(), List.of(), new ArrayList<>());
    private EngineFixture engines;
    private ReceptionCounter counter;
    private Window source;
    private Target in;

    @BeforeEach
    void make() {
        engines = EngineFixture.open(
                directory, NodeSize.small().ranks(3).counters(100).dimensions());
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

    /** Fills the lane of an origin into rank 1, so that its events find no room. */
    private void fillLane(int origin) {
        for (int i = 0; i < LANE_RECORDS; i++) {
            assertThat(engines.context(origin).sendImmediate(1, ID, source.buffer(), 0, 0))
                    .isNotNegative();
            engines.pass(origin);
        }
    }

    @Test
    void shouldLandAtOnceAndRaiseTheEventInTheNextPassWhenItFindsNoRoom() {
        fillLane(0);
        counter.expect(8);
        engines.context(0).put(in, 0, source, 0, 8);
        engines.pass(0);
        assertThat(engines.context(0).fifo().fill()).isZero();
        assertThat(counter.valueAcquire()).isZero();
        assertThat(engines.metrics(0).get(Metric.BLOCKED)).isZero();
        assertThat(hits).isEmpty();

        assertThat(engines.context(1).advance(1)).as("a record and the event").isEqualTo(2);
        assertThat(hits).containsExactly(counter.id());
        engines.settle();
        assertThat(engines.metrics(1).get(Metric.UNKNOWN_DISPATCH)).isEqualTo(LANE_RECORDS);
        assertThat(hits).hasSize(1);

        counter.expect(8);
        engines.context(0).put(in, 0, source, 0, 8);
        engines.settle();
        assertThat(hits).as("with room again").hasSize(2);
    }

    /** Two origins hit many counters whose events find no room. Some are expected again before the owner advances. */
    @Test
    void shouldRaiseEveryOwedEventForItsCounter() {
        final Window target = engines.client(1).window(8);
        final List<ReceptionCounter> hit = new ArrayList<>();
        for (int i = 0; i < 2 * MANY; i++) {
            final ReceptionCounter some = engines.client(1).receptionCounter(target, 0, 8);
            engines.context(1).onHit(some, hits::add);
            engines.client(1).publish("many", some);
            for (int origin = 0; origin <= 2 && i < MANY; origin += 2) {
                targets.get(origin).add(engines.context(origin).attach(1, "many", Deadline.in(10, SECONDS)));
            }
            if (i < MANY) {
                hit.add(some);
            }
            engines.client(1).withdraw("many");
        }
        fillLane(0);
        fillLane(2);
        for (int i = 0; i < MANY; i++) {
            for (int origin = 0; origin <= 2; origin += 2) {
                hit.get(i).expect(1);
                engines.context(origin).count(targets.get(origin).get(i), -1);
                engines.pass(origin);
            }
            if (i % 2 == 1) {
                hit.get(i).expect(1);
            }
        }
        engines.settle();
        assertThat(hits)
                .containsExactlyElementsOf(
                        hit.stream().map(ReceptionCounter::id).toList());
    }

    /** An open loan leaves no room in its lane, which is empty for its reader. */
    private Loan lendLane() {
        final Loan loan = engines.context(0).loan();
        assertThat(loan.claim(new Message().to(1, ID), 8)).isNotNegative();
        return loan;
    }

    @Test
    void shouldRaiseAnOwedEventOfARankThatHasDiedBeforeItsDeath() {
        final List<String> order = new ArrayList<>();
        engines.context(1).onDeath(rank -> order.add("death " + rank));
        engines.context(1).onHit(counter, id -> order.add("hit " + id));
        lendLane();
        counter.expect(8);
        engines.context(0).put(in, 0, source, 0, 8);
        engines.pass(0);
        engines.states(1).change(0, PeerStates.DEAD);

        engines.context(1).advance();
        engines.context(1).advance();
        assertThat(order).containsExactly("hit " + counter.id(), "death 0");
    }

    @Test
    void shouldRaiseTheOtherOwedEventsWhenAHandlerThrows() {
        final ReceptionCounter second =
                engines.client(1).receptionCounter(engines.client(1).window(8), 0, 8);
        engines.context(1).onHit(counter, id -> {
            throw new IllegalStateException("hit " + id);
        });
        engines.context(1).onHit(second, hits::add);
        engines.client(1).publish("second", second);
        final Target inSecond = engines.context(0).attach(1, "second", Deadline.in(10, SECONDS));
        lendLane();
        counter.expect(1);
        second.expect(1);
        engines.context(0).count(in, -1);
        engines.context(0).count(inSecond, -1);
        engines.pass(0);

        assertThatThrownBy(() -> engines.context(1).advance()).hasMessage("hit " + counter.id());
        engines.context(1).advance();
        assertThat(hits).containsExactly(second.id());
    }

    @Test
    void shouldRaiseNoOwedEventOfACounterThatWasClosed() {
        final ReceptionCounter other =
                engines.client(1).receptionCounter(engines.client(1).window(8), 0, 8);
        engines.context(1).onHit(other, id -> {});
        engines.client(1).publish("other", other);
        final Target inOther = engines.context(0).attach(1, "other", Deadline.in(10, SECONDS));
        final Loan loan = lendLane();
        counter.expect(1);
        engines.context(0).count(in, -1);
        engines.pass(0);
        final Closing closing = engines.client(1).close(counter);
        engines.context(1).advance();
        assertThat(hits).isEmpty();

        loan.abandon();
        for (int turn = 0; turn < TURNS && !closing.isDone(); turn++) {
            engines.settle();
        }
        lendLane();
        final ReceptionCounter second =
                engines.client(1).receptionCounter(engines.client(1).window(8), 0, 8);
        assertThat(second.id()).as("the id is reused").isEqualTo(counter.id());
        engines.context(1).onHit(second, hits::add);
        other.expect(1);
        engines.context(0).count(inOther, -1);
        engines.pass(0);
        engines.context(1).advance();
        assertThat(hits).as("of the last use of the id").isEmpty();
        engines.client(1).publish("second", second);
        final Target inSecond = engines.context(0).attach(1, "second", Deadline.in(10, SECONDS));
        second.expect(1);
        engines.context(0).count(inSecond, -1);
        engines.pass(0);
        engines.context(1).advance();
        assertThat(hits).containsExactly(second.id());
    }

    @Test
    void shouldRaiseOwedEventsWhenAHandlerRegistersACounter() {
        final List<ReceptionCounter> some = new ArrayList<>();
        final List<Target> to = new ArrayList<>();
        for (int i = 0; i < 3; i++) {
            some.add(engines.client(1).receptionCounter(engines.client(1).window(8), 0, 8));
            engines.client(1).publish("some " + i, some.get(i));
            to.add(engines.context(0).attach(1, "some " + i, Deadline.in(10, SECONDS)));
        }
        engines.context(1).onHit(some.get(0), id -> {
            hits.add(id);
            engines.client(1).close(counter);
            engines.context(1).onHit(some.get(2), hits::add);
        });
        engines.context(1).onHit(some.get(1), hits::add);
        lendLane();
        for (int i = 0; i < 2; i++) {
            some.get(i).expect(1);
            engines.context(0).count(to.get(i), -1);
        }
        engines.pass(0);
        engines.context(1).advance();
        assertThat(hits)
                .as("in one pass")
                .containsExactly(some.get(0).id(), some.get(1).id());
        some.get(2).expect(1);
        engines.context(0).count(to.get(2), -1);
        engines.pass(0);
        engines.context(1).advance();
        assertThat(hits)
                .containsExactlyElementsOf(
                        some.stream().map(ReceptionCounter::id).toList());
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
