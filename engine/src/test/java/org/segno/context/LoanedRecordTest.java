package org.segno.context;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.agrona.concurrent.UnsafeBuffer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.segno.engine.dma.EngineFixture;
import org.segno.engine.memory.NodeDimensions;
import org.segno.engine.memory.NodeSize;
import org.segno.engine.memory.PeerStates;
import org.segno.memory.InjectionCounter;
import org.segno.memory.ReceptionCounter;
import org.segno.memory.Target;
import org.segno.memory.Window;
import org.segno.operation.Message;
import org.segno.operation.Notification;
import org.segno.status.Deadline;
import org.segno.status.DeadlineException;
import org.segno.status.PeerFailedException;
import org.segno.status.Status;

/** Loans of records of a lane, whose engine this thread runs. Rank 0 claims, rank 1 receives. */
@Timeout(60)
class LoanedRecordTest {
    private static final int ID = 7;
    private static final int MOST = NodeDimensions.MIN_LANE_BYTES / 4 - 8;

    @TempDir
    Path directory;

    private final List<String> received = new ArrayList<>();
    private EngineFixture engines;
    private Context context;
    private Message to;
    private Loan loan;

    @BeforeEach
    void make() {
        engines = EngineFixture.open(
                directory, NodeSize.small().fifos(3).windowBytes(1 << 16).dimensions());
        context = engines.context(0);
        engines.context(1)
                .handler(
                        ID,
                        (origin, buffer, metadata, metadataLength, payload, length) ->
                                received.add((metadataLength == 0 ? "" : buffer.getLong(metadata) + ":")
                                        + (length < Long.BYTES ? "" : Long.toString(buffer.getLong(payload)))
                                        + "/" + length));
        to = new Message().to(1, ID);
        loan = context.loan();
    }

    @AfterEach
    void close() {
        engines.close();
    }

    private void send(long number) {
        final UnsafeBuffer buffer = new UnsafeBuffer(new byte[Long.BYTES]);
        buffer.putLong(0, number);
        if (context.sendImmediate(1, ID, buffer, 0, Long.BYTES) < 0) {
            engines.settle();
            assertThat(context.sendImmediate(1, ID, buffer, 0, Long.BYTES)).isNotNegative();
        }
    }

    /** Claims a record, after the lane and the FIFO were emptied if there is no room. */
    private void claim(int length) {
        if (loan.claim(to, length) == Status.BACK_PRESSURED) {
            engines.settle();
            assertThat(loan.claim(to, length)).isZero();
        }
    }

    @Test
    void shouldRefuseMetadataThatLieOutsideTheNewRangeOfTheirCounter() {
        final Client client = engines.client(0);
        final Window window = client.window(4096);
        final ReceptionCounter counter = client.receptionCounter(window, 0, 2048);
        final Message message = new Message().to(1, ID).metadata(counter, 2048 - 64, 64);
        counter.disable();
        final long deadlineNs = Deadline.in(10, TimeUnit.SECONDS);
        while (client.enable(counter, window, 4088, 8, ReceptionCounter.ANYBODY) < 0) {
            assertThat(Deadline.reached(deadlineNs)).isFalse();
            engines.settle();
        }
        assertThatThrownBy(() -> loan.claim(message, 8))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("metadata range");
        claim(8);
        loan.publish();
        engines.settle();
    }

    @Test
    void shouldDeliverWhatIsPublishedAndNothingBefore() {
        assertThat(loan.claim(to, 100)).isZero();
        loan.buffer().putLong(0, 42);
        engines.settle();
        assertThat(received).isEmpty();

        assertThat(loan.publish()).isZero();
        engines.settle();
        assertThat(received).containsExactly("42/100");
        assertThat(loan.isOpen()).isFalse();
        assertThat(loan.buffer().capacity()).isZero();
    }

    @Test
    void shouldNameTheOpenLoansWhenADeadlinePasses() {
        claim(100);
        send(1);
        final List<Loan> others = new ArrayList<>();
        for (int i = 0; i < 5; i++) {
            others.add(context.loan());
            assertThat(others.get(i).claim(Target.nowhere(), 0, 8)).isZero();
        }
        assertThatThrownBy(() -> context.fence(Deadline.in(20, TimeUnit.MILLISECONDS)))
                .isInstanceOf(DeadlineException.class)
                .hasMessageContaining(
                        "the next descriptor of the context's own FIFO is a SEND for context 0 of rank 1 (if a"
                                + " lane is full, advance its context there); "
                                + "the loan of 100 bytes in a lane of rank 1 is open, and messages to that lane wait"
                                + " for its end: publish or abandon it; the loan of 8 bytes of ")
                .hasMessageEndingWith(" is open: publish or abandon it; 2 other loans are open");
        assertThatThrownBy(() -> context.await(() -> false, Deadline.in(20, TimeUnit.MILLISECONDS)))
                .isInstanceOf(DeadlineException.class)
                .hasMessageContaining("the loan of 100 bytes in a lane of rank 1 is open");

        others.forEach(Loan::abandon);
        loan.publish();
        context.fence(Deadline.in(10, TimeUnit.SECONDS));
        assertThatThrownBy(() -> context.await(() -> false, Deadline.in(20, TimeUnit.MILLISECONDS)))
                .isInstanceOf(DeadlineException.class)
                .message()
                .doesNotContain("loan");
    }

    @Test
    void shouldCarryMetadataByValueAndFromAWindow() {
        final UnsafeBuffer value = new UnsafeBuffer(new byte[24]);
        value.putLong(0, 11);
        loan.claim(to.metadata(value, 0, 24), 8);
        loan.buffer().putLong(0, 1);
        loan.publish();
        final Window window = engines.client(0).window(256);
        window.putLong(64, 22);
        loan.claim(to.metadata(window, 64, 128), 8);
        loan.buffer().putLong(0, 2);
        loan.publish();
        loan.claim(to.metadata(engines.client(0).receptionCounter(window, 64, 128), 0, 8), 0);
        loan.publish();
        engines.settle();

        assertThat(received).containsExactly("11:1/8", "22:2/8", "22:/0");
    }

    @Test
    void shouldKeepTheOrderOfSendsAndLoans() {
        final List<String> expected = new ArrayList<>();
        for (int i = 0; i < 500; i++) {
            if (i % 3 == 0) {
                claim(8 + i);
                loan.buffer().putLong(0, i);
                loan.publish();
                expected.add(i + "/" + (8 + i));
            } else {
                send(i);
                expected.add(i + "/8");
            }
        }
        engines.settle();

        assertThat(received).isEqualTo(expected);
    }

    /** Holds a message that was sent while the record was open until its end. */
    @Test
    void shouldHoldOtherMessagesToTheLaneWhileARecordIsOpen() {
        for (final boolean publishes : new boolean[] {true, false}) {
            received.clear();
            loan.claim(to, 8);
            loan.buffer().putLong(0, 1);
            send(2);
            engines.settle();
            assertThat(received).isEmpty();
            assertThat(context.isDrained()).isFalse();
            if (publishes) {
                loan.publish();
            } else {
                loan.abandon();
            }
            engines.settle();
            assertThat(received).containsExactly(publishes ? new String[] {"1/8", "2/8"} : new String[] {"2/8"});
        }
    }

    @Test
    void shouldNotOvertakeADescriptorThatIsHeld() {
        final InjectionCounter gate = engines.client(0).injectionCounter();
        gate.expect(1);
        context.waitUntil(gate, 0);
        send(1);
        assertThat(loan.claim(to, 8)).isEqualTo(Status.BACK_PRESSURED);
        assertThat(loan.isOpen()).isFalse();
        gate.reset();
        engines.settle();
        assertThat(loan.claim(to, 8)).isZero();
        loan.publish();
        engines.settle();
        assertThat(received).containsExactly("1/8", "0/8");
    }

    /** Claims and gives back at every place of the lane, its end included, and sends in between. */
    @Test
    void shouldLeaveNoTraceOfAbandonedRecords() {
        final List<String> expected = new ArrayList<>();
        for (int i = 0; i < 2000; i++) {
            final int length = 8 + (i * 37) % (MOST - 8);
            claim(length);
            loan.buffer().setMemory(0, length, (byte) 0x7F);
            loan.abandon();
            if (i % 5 == 0) {
                send(i);
                expected.add(i + "/8");
            }
        }
        engines.settle();

        assertThat(received).isEqualTo(expected);
    }

    @Test
    void shouldBePressedBackByAFullLane() {
        int claims = 0;
        while (loan.claim(to, MOST) == 0) {
            loan.publish();
            claims++;
        }
        assertThat(claims).isEqualTo(3);
        assertThat(loan.isOpen()).isFalse();
        engines.settle();
        assertThat(loan.claim(to, MOST)).isZero();
        loan.publish();
        engines.settle();
        assertThat(received).hasSize(4);
    }

    @Test
    void shouldCountAnInjectionCounterDown() {
        final InjectionCounter done = engines.client(0).injectionCounter();
        done.expect(16);
        loan.claim(to, 16);
        loan.publish(done);
        assertThat(done.valueAcquire()).isZero();
    }

    @Test
    void shouldRefuseWrongArguments() {
        assertThatThrownBy(() -> loan.claim(to, MOST + 1))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("payload=" + (MOST + 1) + " most=" + MOST);
        assertThatThrownBy(() -> loan.claim(to, -1)).isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> loan.claim(new Message().to(2, ID), 8))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("rank=2");
        assertThatThrownBy(() -> loan.claim(new Message().to(1, 5, ID), 8))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("context=5");
        final Window foreign = engines.client(1).window(64);
        assertThatThrownBy(() -> loan.claim(new Message().to(1, ID).metadata(foreign, 0, 8), 8))
                .isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> context.batch(2, () -> loan.claim(to, 8)))
                .isInstanceOf(IllegalStateException.class)
                .hasMessageContaining("claim and publish it outside Context.batch");
        loan.claim(to, 8);
        assertThatThrownBy(() -> loan.publish(new Notification().at(ID)))
                .isInstanceOf(IllegalStateException.class)
                .hasMessageContaining("publish it without a notification");
        assertThat(loan).hasToString("the loan of 8 bytes in a lane of rank 1");
    }

    @Test
    void shouldLendForARankThatHasLeftAndNameOneThatHasDied() {
        while (loan.claim(to, MOST) == 0) {
            loan.publish();
        }
        engines.states(0).change(1, PeerStates.LEFT);
        assertThat(loan.claim(to, MOST)).isZero();
        assertThat(loan).hasToString("the loan of " + MOST + " bytes for a rank that has left");
        assertThat(loan.publish()).isNotNegative();
        engines.states(0).change(0, PeerStates.DEAD);
        assertThatThrownBy(() -> loan.claim(new Message().to(0, ID), 8))
                .isInstanceOf(PeerFailedException.class)
                .hasMessageContaining("rank 0 has died");
    }

    /** Makes the engine's events wait for the end of the record, too. */
    @Test
    void shouldHoldPutsThatNotify() {
        final List<Long> notified = new ArrayList<>();
        engines.context(1).notified(300, (from, id, offset, length) -> notified.add(length));
        final Window window = engines.client(1).window(64);
        final ReceptionCounter counter = engines.client(1).receptionCounter(window, 0, 64);
        final Target in = new Target(1, counter.id(), counter.incarnation(), 64, false);
        final Window source = engines.client(0).window(64);
        loan.claim(to, 8);
        context.putNotifying(in, 0, source, 0, 64, new Notification().at(300));
        engines.settle();
        assertThat(notified).isEmpty();
        assertThat(counter.valueAcquire()).isZero();
        loan.publish();
        engines.settle();
        assertThat(notified).containsExactly(64L);
    }
}
