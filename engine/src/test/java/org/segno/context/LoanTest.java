package org.segno.context;

import static java.util.concurrent.TimeUnit.SECONDS;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.segno.engine.dma.EngineFixture;
import org.segno.engine.memory.NodeSize;
import org.segno.engine.memory.PeerStates;
import org.segno.engine.metrics.Metric;
import org.segno.memory.Closing;
import org.segno.memory.InjectionCounter;
import org.segno.memory.MemoryAccess;
import org.segno.memory.ReceptionCounter;
import org.segno.memory.Right;
import org.segno.memory.Target;
import org.segno.memory.Window;
import org.segno.operation.Notification;
import org.segno.pattern.Rounds;
import org.segno.status.Deadline;
import org.segno.status.PeerFailedException;
import org.segno.status.Refusal;
import org.segno.status.Status;

/** Loans of ranges of a peer's window. Rank 0 claims, rank 1 is the owner. */
@Timeout(60)
class LoanTest {
    private static final int BASE = 64;
    private static final int LENGTH = 4096;

    @TempDir
    Path directory;

    private EngineFixture engines;
    private Context context;
    private Window window;
    private ReceptionCounter counter;
    private InjectionCounter done;
    private Target in;
    private Loan loan;

    @BeforeEach
    void make() {
        engines = EngineFixture.open(
                directory, NodeSize.small().fifos(3).windowBytes(1 << 16).dimensions());
        context = engines.context(0);
        window = engines.client(1).window(2 * BASE + LENGTH);
        counter = engines.client(1).receptionCounter(window, BASE, LENGTH, 0);
        engines.client(1).publish("in", counter);
        in = context.attach(1, "in", Deadline.in(10, SECONDS));
        done = engines.client(0).injectionCounter();
        loan = context.loan();
    }

    @AfterEach
    void close() {
        engines.close();
    }

    @Test
    void shouldWriteInThePeersWindowAndCountWhatIsPublished() {
        window.buffer().putLong(BASE + 8, 5);
        assertThat(loan.claim(in, 8, 100)).isZero();

        assertThat(loan.isOpen()).isTrue();
        assertThat(loan.buffer().capacity()).isEqualTo(100);
        assertThat(loan.buffer().getLong(0)).isEqualTo(5);
        loan.buffer().putLong(0, 42);
        loan.buffer().putByte(99, (byte) 7);
        engines.settle();
        assertThat(window.buffer().getLong(BASE + 8)).isEqualTo(42);
        assertThat(counter.valueAcquire()).isZero();

        assertThat(loan.publish()).isNotNegative();
        assertThat(loan.isOpen()).isFalse();
        assertThat(loan.buffer().capacity()).isZero();
        assertThat(counter.valueAcquire()).isZero();
        engines.settle();
        assertThat(counter.valueAcquire()).isEqualTo(-100);
        assertThat(window.buffer().getByte(BASE + 107)).isEqualTo((byte) 7);
    }

    @Test
    void shouldCountTheInjectionCounterDownAndTheMetrics() {
        done.expect(LENGTH);
        loan.claim(in, 0, LENGTH);
        loan.publish(done);
        assertThat(done.valueAcquire()).isEqualTo(LENGTH);
        engines.settle();

        assertThat(done.valueAcquire()).isZero();
        assertThat(counter.valueAcquire()).isEqualTo(-LENGTH);
        assertThat(engines.metrics(0).get(Metric.BYTES)).isEqualTo(LENGTH);
    }

    @Test
    void shouldNotifyTheHandlerOfThePublishedRange() {
        final List<String> notified = new ArrayList<>();
        engines.context(1)
                .notified(
                        300,
                        (from, id, offset, length) -> notified.add(from + " " + offset + "+" + length + " "
                                + window.buffer().getLong(BASE + (int) offset) + " " + counter.valueAcquire()));
        done.expect(16);
        loan.claim(in, 24, 16);
        loan.buffer().putLong(0, 42);
        engines.settle();
        assertThat(notified).isEmpty();

        loan.publish(new Notification().at(300).completes(done));
        engines.settle();

        assertThat(notified).containsExactly("0 24+16 42 -16");
        assertThat(done.valueAcquire()).isZero();
    }

    @Test
    void shouldRaiseTheHitOfThePublishedBytes() {
        final List<Integer> hits = new ArrayList<>();
        final ReceptionCounter watched = engines.client(1).receptionCounter(window, BASE, LENGTH);
        engines.context(1).onHit(watched, hits::add);
        engines.client(1).publish("watched", watched);
        final Target to = context.attach(1, "watched", Deadline.in(10, SECONDS));
        watched.expect(64);
        loan.claim(to, 0, 64);
        loan.publish();
        engines.settle();

        assertThat(hits).containsExactly(watched.id());
    }

    @Test
    void shouldKeepTheOrderOfPutsAndLoans() {
        final List<Long> lengths = new ArrayList<>();
        engines.context(1).notified(300, (from, id, offset, length) -> lengths.add(length));
        final Window source = engines.client(0).window(64);
        for (int i = 1; i <= 12; i += 2) {
            context.putNotifying(in, 0, source, 0, i, new Notification().at(300));
            loan.claim(in, 0, i + 1);
            loan.publish(new Notification().at(300));
        }
        engines.settle();

        assertThat(lengths).containsExactly(1L, 2L, 3L, 4L, 5L, 6L, 7L, 8L, 9L, 10L, 11L, 12L);
    }

    @Test
    void shouldPublishAnEmptyRangeAndMoreThanAQuantum() {
        final InjectionFifo fifo = context.injectionFifo();
        fifo.quantum(64, 4);
        loan.claim(in, LENGTH, 0);
        loan.publish();
        for (int i = 0; i < 10; i++) {
            assertThat(loan.claim(in, 0, LENGTH)).isZero();
            loan.publish();
        }
        engines.settle();

        assertThat(counter.valueAcquire()).isEqualTo(-10 * LENGTH);
    }

    @Test
    void shouldCountNothingOfAnAbandonedLoan() {
        loan.claim(in, 0, 64);
        loan.buffer().putLong(0, 9);
        loan.abandon();
        loan.abandon();
        engines.settle();

        assertThat(loan.isOpen()).isFalse();
        assertThat(counter.valueAcquire()).isZero();
        assertThatThrownBy(() -> loan.buffer().putLong(0, 1)).isInstanceOf(IndexOutOfBoundsException.class);
        assertThatThrownBy(loan::publish)
                .isInstanceOf(IllegalStateException.class)
                .hasMessageContaining("not open: claim it first");
        assertThat(loan.claim(in, 0, 64)).isZero();
    }

    @Test
    void shouldRefuseWrongArguments() {
        assertThatThrownBy(() -> loan.claim(in, LENGTH - 8, 9))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("target range [4088, 4088 + 9) lies outside the 4096 bytes of reception counter")
                .hasMessageContaining("\"in\" of rank 1");
        assertThatThrownBy(() -> loan.claim(in, -1, 8)).isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> loan.claim(in, 0, -1))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("length=-1");
        assertThatThrownBy(() -> loan.claim(new Target(2, 0, 0, 8, false), 0, 8))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("rank=2");
        assertThatThrownBy(() -> loan.claim(new Target(1, in.counter(), in.incarnation(), LENGTH, true), 0, 8))
                .isInstanceOf(IllegalStateException.class)
                .hasMessageContaining("ofRound");
        loan.claim(in, 0, 8);
        assertThatThrownBy(() -> loan.claim(in, 0, 8))
                .isInstanceOf(IllegalStateException.class)
                .hasMessageContaining("the loan of 8 bytes at offset 0 of reception counter " + in.counter())
                .hasMessageContaining("publish or abandon it");
        final InjectionCounter foreign = engines.client(1).injectionCounter();
        assertThatThrownBy(() -> loan.publish(foreign)).isInstanceOf(IllegalArgumentException.class);
        assertThat(loan.isOpen()).isTrue();
    }

    @Test
    void shouldRefuseAClaimAsALandingIsRefused() {
        final ReceptionCounter readable =
                engines.client(1).receptionCounter(window, 0, 8, ReceptionCounter.ANYBODY, Right.GET);
        final ReceptionCounter ofOthers = engines.client(1).receptionCounter(window, 0, 8, new int[] {1});
        requireRefused(target(readable, 8), Refusal.NOT_WRITABLE);
        requireRefused(target(ofOthers, 8), Refusal.SOURCE_NOT_ADMITTED);
        requireRefused(new Target(1, in.counter(), in.incarnation() + 1, LENGTH, false), Refusal.STALE_COUNTER);
        requireRefused(
                new Target(1, in.counter(), in.incarnation(), LENGTH + 1, false), 1, Refusal.TARGET_OUT_OF_BOUNDS);
        requireRefused(new Target(1, 99, 1, LENGTH, false), Refusal.NO_SUCH_COUNTER);
        counter.disable();
        requireRefused(in, Refusal.COUNTER_DISABLED);
        engines.client(1).close(counter);
        engines.settle();
        requireRefused(in, Refusal.STALE_COUNTER);
        engines.states(0).change(1, PeerStates.DEAD);
        assertThatThrownBy(() -> loan.claim(in, 0, 8))
                .isInstanceOf(PeerFailedException.class)
                .hasMessageContaining("rank 1 has died");
        // None of these claims keeps a closing waiting.
        final Closing closing = engines.client(1).close(readable);
        settleLong();
        assertThat(closing.isDone()).isTrue();
    }

    private static Target target(ReceptionCounter of, int length) {
        return new Target(1, of.id(), of.incarnation(), length, false);
    }

    private void requireRefused(Target target, Refusal reason) {
        requireRefused(target, 0, reason);
    }

    private void requireRefused(Target target, long offset, Refusal reason) {
        final int length = (int) (target.length() - offset);
        final byte[] before = new byte[(int) window.length()];
        window.buffer().getBytes(0, before);
        assertThat(loan.claim(target, offset, length)).isZero();
        assertThat(loan.toString()).contains("which does not admit it");
        loan.buffer().setMemory(0, length, (byte) 0x3D);
        done.expect(length);
        loan.publish(done);
        engines.settle();
        assertThat(InjectionCounter.code(done.errorAcquire())).isEqualTo(reason.code());
        done.reset();
        final byte[] after = new byte[before.length];
        window.buffer().getBytes(0, after);
        assertThat(after).isEqualTo(before);
    }

    @Test
    void shouldKeepAClosingWaitingUntilTheLoanEnds() {
        for (final boolean publishes : new boolean[] {true, false}) {
            final ReceptionCounter closed = engines.client(1).receptionCounter(window, BASE, LENGTH);
            final Target to = target(closed, LENGTH);
            loan.claim(to, 0, 64);
            final Closing closing = engines.client(1).close(closed);
            settleLong();
            assertThat(closing.isDone()).isFalse();
            assertThat(closing.awaited()).isEqualTo("rank 0 to publish or abandon the loans of its context 0");
            requireRefusedByOther(to);

            if (publishes) {
                done.expect(64);
                loan.publish(done);
                settleLong();
                assertThat(InjectionCounter.code(done.errorAcquire())).isEqualTo(Refusal.STALE_COUNTER.code());
                done.reset();
            } else {
                loan.abandon();
                settleLong();
            }
            assertThat(closing.isDone()).isTrue();
        }
        assertThat(counter.valueAcquire()).isZero();
    }

    private void requireRefusedByOther(Target closed) {
        final Loan other = context.loan();
        other.claim(closed, 0, 8);
        assertThat(other.toString()).contains("which does not admit it");
        other.abandon();
    }

    /** Passes often enough for two quiet points of each engine. */
    private void settleLong() {
        for (int i = 0; i < 4; i++) {
            engines.settle();
            context.passes().rest();
            engines.context(1).passes().rest();
        }
    }

    @Test
    void shouldNotKeepAClosingWaitingForLoansThatOverlapForEver() {
        final Loan[] loans = {context.loan(), context.loan()};
        loans[0].claim(in, 0, 8);
        final Closing closing = closeAnother();
        int ends = 0;
        while (!closing.isDone() && ends < 10) {
            final int next = (ends + 1) % 2;
            loans[next].claim(in, 0, 8);
            loans[1 - next].publish();
            ends++;
            settleLong();
        }

        // One of the loans is always open.
        assertThat(loans[0].isOpen() || loans[1].isOpen()).isTrue();
        assertThat(ends).isBetween(1, 3);
    }

    private Closing closeAnother() {
        return engines.client(1).close(engines.client(1).receptionCounter(window, 0, 8));
    }

    @Test
    void shouldKeepAClosingWaitingForTheOldestLoanAlone() {
        final Loan old = context.loan();
        old.claim(in, 0, 8);
        final Closing closing = closeAnother();
        for (int i = 0; i < 20; i++) {
            loan.claim(in, 0, 8);
            loan.publish();
            settleLong();
            assertThat(closing.isDone()).isFalse();
        }
        old.abandon();
        settleLong();
        assertThat(closing.isDone()).isTrue();
    }

    @Test
    void shouldReuseTheMemoryOfALoanWhoseProcessHasEnded() {
        loan.claim(in, 0, 8);
        final Closing closing = engines.client(1).close(counter);
        engines.states(1).change(0, PeerStates.DEAD);
        settleLong();
        assertThat(closing.isDone()).isFalse();

        engines.endProcess(0);
        assertThat(closing.isDone()).isTrue();
    }

    @Test
    void shouldStayOpenWhileTheFifoIsFull() {
        final Window source = engines.client(0).window(8);
        loan.claim(in, 0, 8);
        while (context.put(in, 0, source, 0, 8) >= 0) {
            assertThat(loan.isOpen()).isTrue();
        }
        assertThat(loan.publish()).isEqualTo(Status.BACK_PRESSURED);
        assertThat(loan.isOpen()).isTrue();
        loan.buffer().putLong(0, 77);
        engines.settle();
        loan.buffer().putLong(0, 78);
        assertThat(loan.publish()).isNotNegative();
        engines.settle();
        assertThat(window.buffer().getLong(BASE)).isEqualTo(78);
    }

    @Test
    void shouldRefuseLoansInRecordingsAndHandlers() {
        final Loan open = context.loan();
        open.claim(in, 0, 8);
        for (final Runnable body : List.<Runnable>of(() -> loan.claim(in, 0, 8), open::publish)) {
            assertThatThrownBy(() -> context.record(1, Rounds.ORDERED_BY_CALLER, body))
                    .isInstanceOf(IllegalStateException.class)
                    .hasMessage("a loan cannot be replayed: keep it outside record");
            final List<Throwable> thrown = new ArrayList<>();
            context.handler(5, (from, buffer, m, ml, p, pl) -> {
                try {
                    body.run();
                } catch (IllegalStateException e) {
                    thrown.add(e);
                }
            });
            engines.context(1).sendImmediate(0, 5, window.buffer(), 0, 0);
            engines.settle();
            assertThat(thrown)
                    .singleElement()
                    .extracting(Throwable::getMessage)
                    .asString()
                    .contains("store the request");
        }
        assertThat(open.isOpen()).isTrue();
        open.abandon();
        assertThat(counter.valueAcquire()).isZero();
    }

    @Test
    void shouldPublishWithinABatch() {
        context.batch(4, () -> {
            for (int i = 0; i < 4; i++) {
                loan.claim(in, 8L * i, 8);
                loan.buffer().putLong(0, i + 1);
                loan.publish();
            }
            engines.pass(0);
            assertThat(counter.valueAcquire()).isZero();
        });
        engines.settle();

        assertThat(counter.valueAcquire()).isEqualTo(-32);
        assertThat(window.buffer().getLong(BASE + 24)).isEqualTo(4);
    }

    @Test
    void shouldLeadNowhere() {
        done.expect(64);
        assertThat(loan.claim(Target.nowhere(), 1L << 40, 64)).isZero();
        loan.buffer().putLong(56, 1);
        assertThat(loan.toString()).contains("64 bytes of Target.nowhere()");
        assertThat(loan.publish(done)).isZero();

        assertThat(done.valueAcquire()).isZero();
        assertThat(loan.isOpen()).isFalse();
        final Closing closing = closeAnother();
        settleLong();
        assertThat(closing.isDone()).isTrue();
    }

    @Test
    void shouldWriteInTheOwnWindow() {
        final Window own = engines.client(0).window(64);
        final ReceptionCounter self = engines.client(0).receptionCounter(own, 0, 64);
        loan.claim(new Target(0, self.id(), self.incarnation(), 64, false), 8, 8);
        loan.buffer().putLong(0, 3);
        loan.publish();
        engines.settle();

        assertThat(own.buffer().getLong(8)).isEqualTo(3);
        assertThat(self.valueAcquire()).isEqualTo(-8);
        assertThat(MemoryAccess.isComplete(self)).isTrue();
    }
}
