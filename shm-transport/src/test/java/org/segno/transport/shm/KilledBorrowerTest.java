package org.segno.transport.shm;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.agrona.concurrent.UnsafeBuffer;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.segno.context.Client;
import org.segno.context.Context;
import org.segno.context.Loan;
import org.segno.memory.Closing;
import org.segno.memory.ReceptionCounter;
import org.segno.memory.Target;
import org.segno.memory.Window;
import org.segno.node.JobConfig;
import org.segno.node.Node;
import org.segno.node.NodeConfig.Threading;
import org.segno.operation.Message;
import org.segno.status.Deadline;
import org.segno.status.DeadlineException;
import org.segno.status.PeerFailedException;

/**
 * A process that is killed while it writes in place: the owner of the window can close and reuse it, no part of a
 * record appears, and the messages of others are intact.
 */
@Tag("long")
class KilledBorrowerTest {
    private static final int OWNER = 0;
    private static final int BORROWER = 1;
    private static final int SENDER = 2;
    private static final int LENGTH = 64 * 1024;
    private static final int ROUNDS = 200;
    private static final int NUMBERS = 9;
    private static final int COMPLETE = 3;

    @RegisterExtension
    final ProcessPool pool = new ProcessPool();

    @ParameterizedTest
    @EnumSource(names = {"INVOKER", "DEDICATED"})
    void shouldReuseTheWindowOfAKilledBorrower(Threading threading) {
        final JobConfig job = pool.job("borrower", 3);
        final TestProcess owner = pool.start(Owner.class, job, threading, OWNER);
        final TestProcess borrower = pool.start(Borrower.class, job, threading, BORROWER);
        final TestProcess sender = pool.start(Sender.class, job, threading, SENDER);
        borrower.expect("borrowed");
        owner.signalScenario();
        assertThat(owner.expect("waits")).startsWith("for rank 1 to publish or abandon the loans of its context 0");

        borrower.kill();

        owner.expect("reused");
        owner.awaitEnd();
        sender.awaitEnd();
    }

    /** Closes the window while the loan is open, reuses its memory, and receives from the sender there. */
    static final class Owner implements Scenario {
        private final AtomicLong complete = new AtomicLong();

        @Override
        public void run(ScenarioRun run) throws InterruptedException {
            try (Node node = run.join()) {
                final Client client = node.client();
                final Context context = client.context();
                context.handler(NUMBERS, (origin, buffer, m, ml, payload, length) -> {
                    assertThat(buffer.getLong(payload)).isEqualTo(complete.getAndIncrement());
                });
                final Window window = client.window(LENGTH);
                final ReceptionCounter first = client.receptionCounter(window, 0, LENGTH);
                client.publish("first", first);
                context.await(() -> complete.get() == COMPLETE, ScenarioRun.deadline());
                run.awaitSignal();
                final Closing closing = client.close(first);
                try {
                    client.await(closing, context, Deadline.in(200, TimeUnit.MILLISECONDS));
                    run.print("waits for nothing");
                } catch (DeadlineException e) {
                    run.print("waits for " + closing.awaited());
                }
                awaitDeath(context);
                awaitClosed(context, closing);
                awaitClosed(context, client.close(window));
                assertThat(complete.get()).as("messages of the borrower").isEqualTo(COMPLETE);
                receive(client, context, window.base());
                run.print("reused");
            }
        }

        private static void awaitDeath(Context context) {
            assertThatThrownBy(() -> context.await(() -> false, ScenarioRun.deadline()))
                    .isInstanceOf(PeerFailedException.class)
                    .hasMessageContaining("rank 1 has died");
        }

        /** Waits without the wait of the library, which the death ends. */
        private static void awaitClosed(Context context, Closing closing) {
            final long deadlineNs = ScenarioRun.deadline();
            while (!closing.isDone()) {
                assertThat(Deadline.reached(deadlineNs)).as("%s", closing).isFalse();
                context.advance();
            }
        }

        private static void receive(Client client, Context context, long base) {
            final Window again = client.window(LENGTH);
            assertThat(again.base()).as("place of the closed window").isEqualTo(base);
            for (int i = 0; i < LENGTH; i += Long.BYTES) {
                assertThat(again.buffer().getLong(i)).isZero();
            }
            final ReceptionCounter counter = client.receptionCounter(again, 0, LENGTH, SENDER);
            client.publish("again", counter);
            final Target credit = context.attach(SENDER, "credit", ScenarioRun.deadline());
            for (int round = 1; round <= ROUNDS; round++) {
                counter.expect(LENGTH);
                context.await(counter, ScenarioRun.deadline());
                for (int i = 0; i < LENGTH; i += Long.BYTES) {
                    if (again.buffer().getLong(i) != (long) round * LENGTH + i) {
                        throw new AssertionError("round " + round + ": word at " + i);
                    }
                }
                context.count(credit, -1);
            }
        }
    }

    /** Sends complete messages, then is killed with a range and a record open. */
    static final class Borrower implements Scenario {
        @Override
        public void run(ScenarioRun run) {
            try (Node node = run.join()) {
                final Context context = node.client().context();
                final Target first = context.attach(OWNER, "first", ScenarioRun.deadline());
                final UnsafeBuffer number = new UnsafeBuffer(new byte[Long.BYTES]);
                for (int i = 0; i < COMPLETE; i++) {
                    number.putLong(0, i);
                    context.sendImmediate(OWNER, NUMBERS, number, 0, Long.BYTES);
                }
                final Loan record = context.loan(node.client().window(256), 0, 256);
                context.await(() -> record.claim(new Message().to(OWNER, NUMBERS), 256) == 0, ScenarioRun.deadline());
                record.buffer().setMemory(0, 256, (byte) -1);
                final Loan range = context.loan();
                range.claim(first, 0, LENGTH);
                range.buffer().setMemory(0, LENGTH, (byte) -1);
                context.fence(ScenarioRun.deadline());
                run.print("borrowed");
                // Advances, so that its engine is quiet and only its loans are not.
                context.await(run::isSignalled, ScenarioRun.deadline());
            }
        }
    }

    /** Publishes rounds of numbers in the memory that the borrower had, by loans and by puts in turn. */
    static final class Sender implements Scenario {
        @Override
        public void run(ScenarioRun run) {
            try (Node node = run.join()) {
                final Client client = node.client();
                final Context context = client.context();
                final Window window = client.window(LENGTH);
                final ReceptionCounter credit = client.receptionCounter(window, 0, 0, OWNER);
                client.publish("credit", credit);
                final Target again = context.attach(OWNER, "again", ScenarioRun.deadline());
                final Loan loan = context.loan();
                for (int round = 1; round <= ROUNDS; round++) {
                    credit.expect(1);
                    if (round % 2 == 0) {
                        loan.claim(again, 0, LENGTH);
                        for (int i = 0; i < LENGTH; i += Long.BYTES) {
                            loan.buffer().putLong(i, (long) round * LENGTH + i);
                        }
                        loan.publish();
                    } else {
                        for (int i = 0; i < LENGTH; i += Long.BYTES) {
                            window.buffer().putLong(i, (long) round * LENGTH + i);
                        }
                        context.put(again, 0, window, 0, LENGTH);
                    }
                    context.await(credit, ScenarioRun.deadline());
                }
            }
        }
    }
}
