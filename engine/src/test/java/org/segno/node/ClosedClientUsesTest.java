package org.segno.node;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.file.Path;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.segno.context.Client;
import org.segno.context.Context;
import org.segno.context.Loan;
import org.segno.memory.Closing;
import org.segno.memory.InjectionCounter;
import org.segno.memory.Window;
import org.segno.message.Messenger;
import org.segno.node.NodeConfig.Threading;
import org.segno.operation.Message;
import org.segno.operation.ThreadLevel;
import org.segno.status.ClosedException;
import org.segno.status.Deadline;
import org.segno.status.RefusedException;
import org.segno.status.SegnoException;

/** Loans and messages of a client that is closed at their target. Rank 0 sends to rank 1, on one thread. */
@Timeout(120)
class ClosedClientUsesTest {
    private static final int ID = 5;
    private static final ClientConfig ALPHA =
            ClientConfig.named("alpha").withCounters(16, 8).withWindowBytes(32 * 1024);

    @TempDir
    Path parent;

    private InProcessJob job;
    private Client sending;
    private Client receiving;
    private Context sender;
    private Context receiver;
    private Window window;
    private Message message;

    @BeforeEach
    void make() {
        job = InProcessJob.join(
                parent,
                2,
                SmallNodes.config(Threading.INVOKER, 2)
                        .withContexts(2)
                        .withFifos(4)
                        .withCounters(64, 64)
                        .withWindowBytes(1 << 18)
                        .withThreadLevel(ThreadLevel.SERIALIZED)
                        .withEagerLimitBytes(1024)
                        .withLaneBudgetBytes(1 << 20));
        sending = job.node(0).openClient(ALPHA);
        receiving = job.node(1).openClient(ALPHA);
        sender = sending.context();
        receiver = receiving.context();
        window = sending.window(8192);
        message = new Message().to(sending.endpoint(1, 0, InProcessJob.deadline()), ID);
    }

    @AfterEach
    void leave() {
        job.close();
    }

    private void pass() {
        job.context(0).advance();
        job.context(1).advance();
        sender.advance();
    }

    private void passUntilDone(Closing closing) {
        final long deadlineNs = InProcessJob.deadline();
        while (!closing.isDone()) {
            assertThat(Deadline.reached(deadlineNs)).as(closing.toString()).isFalse();
            pass();
        }
    }

    @Test
    void shouldDropARecordThatWasLentBeforeTheClientWasClosed() {
        final Loan loan = sender.loan();
        assertThat(loan.claim(message, 8)).isZero();
        final Closing closing = receiving.close();
        for (int i = 0; i < 1000; i++) {
            pass();
            assertThat(closing.isDone()).isFalse();
        }
        assertThat(closing.awaited()).contains("loan").contains("rank 0");

        loan.buffer().putLong(0, 77);
        loan.publish();
        passUntilDone(closing);
        final AtomicInteger wrong = new AtomicInteger();
        final Client next = job.node(1).openClient(ALPHA);
        next.context().handler(ID, (origin, buffer, m, ml, p, pl) -> wrong.incrementAndGet());
        for (int i = 0; i < 100; i++) {
            pass();
            next.context().advance();
        }
        assertThat(wrong).hasValue(0);
        final InjectionCounter done = sending.injectionCounter();
        done.expect(8);
        assertThat(loan.claim(message, 8)).isZero();
        loan.publish(done);
        assertThatThrownBy(() -> sender.await(done, InProcessJob.deadline()))
                .isInstanceOf(RefusedException.class)
                .hasMessageContaining("client of the target's context was closed");
        final Message fresh = new Message().to(sending.endpoint(1, 0, InProcessJob.deadline()), ID);
        assertThat(loan.claim(fresh, 8)).isZero();
        loan.publish();
        next.context().advance();
        assertThat(wrong).hasValue(1);
    }

    /** The closing client's own loans are abandoned when no thread can end them any more. */
    @Test
    void shouldAbandonTheLoansOfTheClosedClient() {
        final Loan loan = sender.loan();
        assertThat(loan.claim(message, 8)).isZero();
        final Closing closing = sending.close();
        final long deadlineNs = InProcessJob.deadline();
        while (!closing.isDone()) {
            assertThat(Deadline.reached(deadlineNs)).as(closing.toString()).isFalse();
            job.context(0).advance();
            job.context(1).advance();
        }
        assertThatThrownBy(() -> loan.publish()).hasMessageContaining("the loan is not open");
        assertThat(receiver.advance()).isZero();
    }

    /** Another living thread holds a loan: it may still write there until it has abandoned it. */
    @Test
    void shouldWaitForTheLoansThatAnotherThreadHolds() throws Exception {
        final Loan loan = sender.loan();
        final CountDownLatch closed = new CountDownLatch(1);
        final CountDownLatch tried = new CountDownLatch(1);
        final CountDownLatch mayAbandon = new CountDownLatch(1);
        final AtomicReference<Throwable> refused = new AtomicReference<>();
        final CountDownLatch claimed = new CountDownLatch(1);
        final Thread holder = new Thread(() -> {
            assertThat(loan.claim(message, 8)).isZero();
            sender.advance();
            claimed.countDown();
            await(closed);
            try {
                loan.publish();
            } catch (final ClosedException e) {
                refused.set(e);
            }
            tried.countDown();
            await(mayAbandon);
            loan.abandon();
        });
        holder.start();
        await(claimed);
        final Closing closing = sending.close();
        closed.countDown();
        final long deadlineNs = InProcessJob.deadline();
        while (!String.valueOf(closing.awaited()).contains("loans of")) {
            assertThat(Deadline.reached(deadlineNs)).as(closing.toString()).isFalse();
            assertThat(closing.isDone()).isFalse();
        }
        await(tried);
        assertThat(refused.get()).isInstanceOf(ClosedException.class);
        mayAbandon.countDown();
        holder.join(30_000);
        while (!closing.isDone()) {
            assertThat(Deadline.reached(deadlineNs)).as(closing.toString()).isFalse();
            job.context(0).advance();
            job.context(1).advance();
        }
    }

    private static void await(CountDownLatch latch) {
        try {
            assertThat(latch.await(30, TimeUnit.SECONDS)).isTrue();
        } catch (final InterruptedException e) {
            throw new AssertionError(e);
        }
    }

    @Test
    void shouldReportTheClosedClientToTheCompletionsOfMessages() {
        final Messenger messenger = Messenger.open(sending, sender);
        final AtomicReference<SegnoException> local = new AtomicReference<>();
        final AtomicReference<SegnoException> remote = new AtomicReference<>();
        final AtomicReference<SegnoException> shortOne = new AtomicReference<>();
        final Messenger theirs = Messenger.open(receiving, receiver);
        theirs.handler(ID, received -> received.defer());
        assertThat(messenger.send(message.payload(window, 0, 8192), local::set, remote::set))
                .isNotNegative();
        for (int i = 0; i < 10; i++) {
            sender.advance();
            receiver.advance();
        }
        assertThat(local.get()).as("it was deferred").isNull();

        final Closing closing = receiving.close();
        assertThat(messenger.send(message.payload(window, 0, 16), null, shortOne::set))
                .isNotNegative();
        sender.await(
                () -> local.get() != null && remote.get() != null && shortOne.get() != null, InProcessJob.deadline());
        assertThat(local.get()).isInstanceOf(RefusedException.class).hasMessageContaining("was closed");
        assertThat(remote.get()).isInstanceOf(RefusedException.class);
        assertThat(shortOne.get()).isInstanceOf(RefusedException.class);
        passUntilDone(closing);
    }

    /** The ids of contexts contain the number of their use, which is zero only for their first client. */
    @Test
    void shouldReplyInEachUseOfAClient() {
        for (int use = 0; use < 3; use++) {
            final AtomicInteger answers = new AtomicInteger();
            final Message reply = new Message();
            final Messenger messenger = Messenger.open(sending, sender);
            messenger.handler(ID + 1, received -> answers.incrementAndGet());
            final Messenger theirs = Messenger.open(receiving, receiver);
            final Window answer = receiving.window(4096);
            theirs.handler(
                    ID,
                    received -> theirs.send(reply.to(received.origin(), ID + 1).payload(answer, 0, 64)));
            final Window request = sending.window(64);
            assertThat(messenger.send(new Message()
                            .to(sending.endpoint(1, 0, InProcessJob.deadline()), ID)
                            .payload(request, 0, 8)))
                    .isNotNegative();
            final long deadlineNs = InProcessJob.deadline();
            while (answers.get() == 0) {
                assertThat(Deadline.reached(deadlineNs)).isFalse();
                sender.advance();
                receiver.advance();
            }
            final Closing ofSender = sending.close();
            final Closing ofReceiver = receiving.close();
            while (!ofSender.isDone() || !ofReceiver.isDone()) {
                assertThat(Deadline.reached(deadlineNs)).isFalse();
                job.context(0).advance();
                job.context(1).advance();
            }
            sending = job.node(0).openClient(ALPHA);
            receiving = job.node(1).openClient(ALPHA);
            sender = sending.context();
            receiver = receiving.context();
        }
    }
}
