package org.segno.engine.dma;

import static java.util.concurrent.TimeUnit.SECONDS;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import org.agrona.concurrent.UnsafeBuffer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.segno.context.Context;
import org.segno.context.Loan;
import org.segno.engine.memory.NodeLayout.Part;
import org.segno.engine.memory.NodeSize;
import org.segno.engine.memory.PeerStates;
import org.segno.memory.CounterPair;
import org.segno.memory.InjectionCounter;
import org.segno.memory.ReceptionCounter;
import org.segno.memory.Right;
import org.segno.memory.Target;
import org.segno.memory.Window;
import org.segno.operation.Message;
import org.segno.operation.Rmw;
import org.segno.pattern.Pattern;
import org.segno.pattern.Rounds;
import org.segno.status.Deadline;
import org.segno.status.PeerFailedException;
import org.segno.status.Refusal;
import org.segno.status.Status;

/** Nodes that have mapped no memory of each other: a small link carries the same operations as mapped memory. */
class LinkTest {
    private static final int WINDOW = 100_000;
    private static final int EDGE = 512;
    private static final int RANGE = WINDOW - 2 * EDGE;

    @TempDir
    Path directory;

    private final List<String> messages = new ArrayList<>();
    private EngineFixture engines;
    private Context origin;
    private Window own;
    private Window theirs;
    private ReceptionCounter export;
    private InjectionCounter done;
    private Target to;
    private byte[] content;

    @BeforeEach
    void make() {
        engines = EngineFixture.linked(
                directory,
                NodeSize.small().fifoSlots(1024).windowBytes(4L * WINDOW).dimensions(),
                EngineFixture.SMALL_LINK);
        origin = engines.context(0);
        own = engines.client(0).window(WINDOW);
        theirs = engines.client(1).window(WINDOW);
        export = engines.client(1).receptionCounter(theirs, EDGE, RANGE, 0, Right.PUT, Right.GET, Right.ATOMIC);
        to = new Target(1, export.id(), export.incarnation(), RANGE, false);
        done = engines.client(0).injectionCounter();
        content = new byte[WINDOW];
        new Random(1).nextBytes(content);
        for (final int context : new int[] {0, 1}) {
            engines.context(context).handler(5, (from, buffer, metadata, metadataLength, payload, length) -> {
                final byte[] bytes = new byte[length];
                buffer.getBytes(payload, bytes);
                messages.add(from + " " + metadataLength + " " + Arrays.hashCode(bytes));
            });
        }
    }

    @AfterEach
    void close() {
        engines.close();
    }

    @Test
    void shouldPutEveryLengthWithinTheRangeAndNothingBesideIt() {
        own.buffer().putBytes(0, content);
        int expected = 0;
        for (final int length : new int[] {0, 1, 8, 503, 504, 505, 512, 1008, 5000, RANGE}) {
            theirs.buffer().setMemory(0, WINDOW, (byte) 0x3C);
            done.expect(length);
            export.expect(length);
            origin.put(to, RANGE - length, own, 3, length, done);
            engines.settle();
            assertThat(done.valueAcquire()).isZero();
            assertThat(export.valueAcquire()).as("length " + length).isZero();
            for (int i = 0; i < WINDOW; i++) {
                final int at = i - (EDGE + RANGE - length);
                expected = at >= 0 && at < length ? content[3 + at] : 0x3C;
                if (theirs.buffer().getByte(i) != expected) {
                    throw new AssertionError("length " + length + ": byte " + i);
                }
            }
        }
    }

    @Test
    void shouldPutAndSendFromTheRangeOfACounterAndOfAPair() {
        own.buffer().putBytes(0, content);
        final ReceptionCounter counter = engines.client(0).receptionCounter(own, 1024, 512);
        final CounterPair pair = engines.client(0).counterPair(own, 2048, 4096, 512);
        origin.put(to, 0, counter, 8, 100, done);
        origin.send(new Message().to(1, 5).payload(counter, 16, 40));
        engines.settle();

        assertThat(theirs.buffer().getLong(EDGE)).isEqualTo(own.buffer().getLong(1024 + 8));
        assertThat(theirs.buffer().getByte(EDGE + 99)).isEqualTo(content[1024 + 8 + 99]);
        assertThat(messages)
                .containsExactly("0 0 " + Arrays.hashCode(Arrays.copyOfRange(content, 1024 + 16, 1024 + 16 + 40)));

        final Pattern pattern = origin.record(1, Rounds.ORDERED_BY_CALLER, () -> origin.put(to, 512, pair, 0, 8));
        for (long round = 1; round <= 4; round++) {
            if (round > 1) {
                assertThat(origin.replay(pattern)).isEqualTo(round);
            }
            engines.settle();
            assertThat(theirs.buffer().getLong(EDGE + 512))
                    .isEqualTo(own.buffer().getLong((int) pair.offset(round)));
        }
    }

    @Test
    void shouldSendLoansFromLocalMemory() {
        final Loan loan = origin.loan(own, 64, 8192);
        done.expect(8192);
        assertThat(loan.claim(to, 512, 8192)).isZero();
        loan.buffer().putBytes(0, content, 0, 8192);
        engines.settle();
        assertThat(theirs.buffer().getLong(EDGE + 512)).isZero();
        assertThat(loan.publish(done)).isNotNegative();
        // The local memory is read over many passes.
        assertThat(loan.claim(to, 0, 8)).isEqualTo(Status.BACK_PRESSURED);
        engines.settle();

        for (int i = 0; i < 8192; i++) {
            assertThat(theirs.buffer().getByte(EDGE + 512 + i)).isEqualTo(content[i]);
        }
        assertThat(export.valueAcquire()).isEqualTo(-8192);
        assertThat(done.valueAcquire()).isZero();

        loan.claim(new Message().to(1, 5), 600);
        loan.buffer().putBytes(0, content, 0, 600);
        loan.publish();
        engines.settle();
        assertThat(messages).containsExactly("0 0 " + Arrays.hashCode(Arrays.copyOf(content, 600)));

        loan.claim(to, 0, 8);
        loan.abandon();
        assertThat(loan.claim(new Message().to(1, 5), 8)).isZero();
        loan.abandon();
        engines.settle();
        assertThat(export.valueAcquire()).isEqualTo(-8192);
        assertThat(messages).hasSize(1);
    }

    @Test
    void shouldTakeLocalMemoryForLoansThatHaveNone() {
        final Loan loan = origin.loan();
        assertThat(loan.claim(to, 0, 60_000)).isZero();
        loan.buffer().setMemory(0, 60_000, (byte) 3);
        loan.publish(done);
        assertThat(loan.claim(to, 0, 60_000))
                .as("a descriptor reads the memory")
                .isEqualTo(Status.BACK_PRESSURED);
        engines.settle();
        assertThat(theirs.buffer().getByte(EDGE + 59_999)).isEqualTo((byte) 3);
        final List<Loan> open = new ArrayList<>();
        for (int i = 0; i < 4; i++) {
            open.add(origin.loan());
            assertThat(open.get(i).claim(to, 0, 60_000)).isZero();
        }
        assertThatThrownBy(() -> loan.claim(to, 0, RANGE))
                .isInstanceOf(IllegalStateException.class)
                .hasMessageContaining("the loan needs " + RANGE + " bytes of local memory")
                .hasMessageContaining("rank 1 is reached over a link")
                .hasMessageContaining("raise NodeConfig.withWindowBytes")
                .hasMessageContaining("Context.loan(window, offset, length)");
        assertThat(loan.isOpen()).isFalse();
        open.get(2).abandon();
        for (int i = 0; i < 1000; i++) {
            assertThat(loan.claim(to, 0, 100)).as("the same memory").isZero();
            loan.abandon();
        }
    }

    @Test
    void shouldRefuseALoanAsThePutThatItIs() {
        final Loan loan = origin.loan(own, 0, 64);
        export.disable();
        done.expect(8);
        loan.claim(to, 0, 8);
        loan.publish(done);
        engines.settle();

        assertThat(InjectionCounter.code(done.errorAcquire())).isEqualTo(Refusal.COUNTER_DISABLED.code());
    }

    @Test
    void shouldSendMessagesOfAnyLengthInOrder() {
        own.buffer().putBytes(0, content);
        final UnsafeBuffer metadata = new UnsafeBuffer(new byte[24]);
        final Message message = new Message();
        final List<String> expected = new ArrayList<>();
        final Random chance = new Random(2);
        for (int i = 0; i < 300; i++) {
            final int length = chance.nextInt(900);
            final int metadataLength = chance.nextInt(25);
            if (i % 3 == 0) {
                origin.sendImmediate(1, 5, own.buffer(), 7, 30);
                expected.add("0 0 " + hash(7, 30));
            } else {
                done.expect(length);
                origin.send(message.to(1, 5)
                        .metadata(metadata, 0, metadataLength)
                        .payload(own, i, length)
                        .completes(done));
                expected.add("0 " + metadataLength + " " + hash(i, length));
            }
        }
        engines.settle();
        assertThat(messages).isEqualTo(expected);
        assertThat(done.valueAcquire()).isZero();
    }

    @Test
    void shouldGetIntoAWindowAndToACounter() {
        theirs.buffer().putBytes(0, content);
        for (final int length : new int[] {0, 1, 8, 512, 513, 7000, RANGE}) {
            own.buffer().setMemory(0, WINDOW, (byte) 0x3C);
            done.expect(length);
            origin.get(to, RANGE - length, own, 11, length, done);
            origin.await(done, deadlineOf(engines.context(1)));
            for (int i = 0; i < WINDOW; i++) {
                final boolean inside = i >= 11 && i < 11 + length;
                if (own.buffer().getByte(i) != (inside ? content[EDGE + RANGE - length + i - 11] : 0x3C)) {
                    throw new AssertionError("length " + length + ": byte " + i);
                }
            }
        }
        final ReceptionCounter into = engines.client(0).receptionCounter(own, 0, 8000, 1);
        final int[] hits = new int[1];
        origin.onHit(into, id -> hits[0]++);
        into.expect(7000);
        for (int i = 0; i < 7; i++) {
            origin.get(to, 1000L * i, into, 1000L * i, 1000, null);
        }
        engines.settle();
        assertThat(into.valueAcquire()).isZero();
        assertThat(hits[0]).isEqualTo(1);
        for (int i = 0; i < 7000; i++) {
            assertThat(own.buffer().getByte(i)).isEqualTo(content[EDGE + i]);
        }
    }

    @Test
    void shouldChangeWordsAndReturnTheirOldValues() {
        final Rmw change = new Rmw().result(own, 0).completes(done);
        for (int i = 0; i < 500; i++) {
            assertThat(changed(change.fetchAdd(3))).isEqualTo(3L * i);
        }
        assertThat(changed(change.compareAndSet(1500, 7))).isEqualTo(1500);
        assertThat(changed(change.compareAndSet(1500, 8))).isEqualTo(7);
        assertThat(changed(change.swap(0xF0))).isEqualTo(7);
        assertThat(changed(change.or(0x0F))).isEqualTo(0xF0);
        assertThat(changed(change.and(0x3C))).isEqualTo(0xFF);
        assertThat(changed(change.xor(-1))).isEqualTo(0x3C);
        assertThat(theirs.buffer().getLong(EDGE + 8)).isEqualTo(~0x3CL);
    }

    @Test
    void shouldCount() {
        origin.count(to, 5);
        origin.count(to, -2);
        engines.settle();
        assertThat(export.valueAcquire()).isEqualTo(3);
    }

    @Test
    void shouldReplayOverTheLink() {
        final Pattern pattern = origin.record(1, Rounds.ORDERED_BY_CALLER, () -> {
            origin.put(to, 0, own, 0, 2000);
            origin.sendImmediate(1, 5, own.buffer(), 0, 8);
        });
        for (long round = 1; round <= 50; round++) {
            if (round > 1) {
                assertThat(origin.replay(pattern)).isEqualTo(round);
            }
            export.expect(2000);
            engines.settle();
            assertThat(export.valueAcquire()).isZero();
            assertThat(messages).hasSize((int) round);
        }
    }

    @Test
    void shouldReportTheReasonOfARefusalToTheWaiter() {
        final ReceptionCounter inbox = engines.client(1).receptionCounter(theirs, 0, 64, 0);
        final Target closed = new Target(1, inbox.id(), inbox.incarnation(), 64, false);
        final Target wide = new Target(1, inbox.id(), inbox.incarnation(), WINDOW, false);
        final Target stale = new Target(1, inbox.id(), inbox.incarnation() + 1, 64, false);
        refused(Refusal.NOT_READABLE, () -> origin.get(closed, 0, own, 0, 8, done));
        refused(Refusal.NOT_ATOMIC, () -> origin.rmw(closed, 0, new Rmw().completes(done)));
        refused(Refusal.MISALIGNED, () -> origin.rmw(to, 4, new Rmw().completes(done)));
        refused(Refusal.STALE_COUNTER, () -> origin.put(stale, 0, own, 0, 8, done));
        refused(Refusal.STALE_COUNTER, () -> origin.get(stale, 0, own, 0, 8, done));
        refused(Refusal.TARGET_OUT_OF_BOUNDS, () -> origin.put(wide, 0, own, 0, 5000, done));
        refused(Refusal.NO_SUCH_COUNTER, () -> origin.put(new Target(1, 99, 1, 64, false), 0, own, 0, 8, done));
        refused(Refusal.NO_SUCH_CONTEXT, () -> {
            final long slot = origin.fifo().descriptorsAcquire();
            origin.send(new Message().to(1, 5).payload(own, 0, 8).completes(done));
            engines.memory(0)
                    .owner()
                    .putShort(engines.memory(0).layout().offset(Part.FIFO_SLOTS) + (slot & 1023) * 64 + 10, (short) 3);
        });
        assertThat(inbox.valueAcquire()).isZero();
        assertThat(theirs.buffer().getByte(0)).isZero();
        // The next message arrives.
        done.expect(8);
        origin.put(to, 0, own, 0, 8, done);
        engines.settle();
        assertThat(export.valueAcquire()).isEqualTo(-8);
    }

    @Test
    void shouldFailPendingWorkWhenTheLinkHasFailed() {
        done.expect(8);
        origin.get(to, 0, own, 0, 8, done);
        engines.pass(0);
        engines.link(0, 1).close();
        assertThatThrownBy(() -> origin.await(done, Deadline.in(10, SECONDS)))
                .isInstanceOf(PeerFailedException.class)
                .hasMessageContaining("the link to rank 1 has failed");
        done.reset();
        done.expect(8);
        origin.put(to, 0, own, 0, 8, done);
        assertThatThrownBy(() -> origin.await(done, Deadline.in(10, SECONDS)))
                .isInstanceOf(PeerFailedException.class)
                .hasMessageContaining("the link to rank 1 has failed");
        done.reset();
        assertThat(engines.states(0).stateAcquire(1)).isEqualTo(PeerStates.CUT);
    }

    /** Completions without a counter read the peer's state: what has not landed must not appear to have landed. */
    @Test
    void shouldReportTheFailureOfALinkBeforeItEndsWhatWasInjected() {
        final UnsafeBuffer message = new UnsafeBuffer(new byte[8]);
        engines.context(1).sendImmediate(0, 5, message, 0, 8);
        engines.pass(1);
        origin.sendImmediate(1, 5, message, 0, 8);
        engines.link(0, 1).close();
        for (int pass = 0; pass < 4 && !origin.isDrained(); pass++) {
            engines.pass(0);
            assertThat(origin.isDrained() && !engines.states(0).isDead(1)).isFalse();
        }
        assertThat(origin.isDrained()).isTrue();
    }

    @Test
    void shouldFailPendingWorkWhenThePeerHasDied() {
        done.expect(8);
        origin.rmw(to, 0, new Rmw().completes(done));
        engines.pass(0);
        engines.states(0).change(1, PeerStates.DEAD);
        assertThatThrownBy(() -> origin.await(done, Deadline.in(10, SECONDS)))
                .isInstanceOf(PeerFailedException.class)
                .hasMessageContaining("rank 1 has died");
    }

    private void refused(Refusal refusal, Runnable call) {
        final long before = engines.metrics(0).get(refusal);
        done.expect(8);
        call.run();
        engines.settle();
        assertThatThrownBy(() -> origin.await(done, Deadline.in(10, SECONDS)))
                .hasMessageContaining("rank 1 refused: " + refusal.reason());
        done.reset();
        assertThat(engines.metrics(0).get(refusal)).as("at the origin").isGreaterThan(before);
        assertThat(engines.metrics(1).get(refusal)).as("at the owner").isZero();
    }

    private long changed(Rmw change) {
        done.expect(Rmw.LENGTH);
        origin.rmw(to, 8, change);
        engines.settle();
        assertThat(done.valueAcquire()).isZero();
        return own.buffer().getLong(0);
    }

    /** Settles all engines, so that the owner's FIFO is empty, and returns a deadline. */
    private long deadlineOf(Context owner) {
        engines.settle();
        assertThat(owner.fifo().fill()).isZero();
        return Deadline.in(10, SECONDS);
    }

    private int hash(int offset, int length) {
        final byte[] bytes = new byte[length];
        own.buffer().getBytes(offset, bytes);
        return Arrays.hashCode(bytes);
    }
}
