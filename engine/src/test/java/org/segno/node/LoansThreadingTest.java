package org.segno.node;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;
import java.util.logging.Logger;
import org.agrona.DirectBuffer;
import org.agrona.MutableDirectBuffer;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.segno.context.Client;
import org.segno.context.Context;
import org.segno.context.Loan;
import org.segno.memory.Closing;
import org.segno.memory.InjectionCounter;
import org.segno.memory.ReceptionCounter;
import org.segno.memory.Target;
import org.segno.memory.Window;
import org.segno.node.NodeConfig.Threading;
import org.segno.operation.Message;
import org.segno.operation.Notification;
import org.segno.status.ClosedException;
import org.segno.status.Deadline;
import org.segno.status.DeadlineException;

/** Two nodes in every threading mode: each writes in the other's window and lanes, and every byte is checked. */
@Timeout(120)
@OverMemoryAndLinks
class LoansThreadingTest {
    private static final int SIZE = 2;
    private static final int ROUNDS = 500;
    private static final int LENGTH = 4096;
    private static final int ID = 9;

    @TempDir
    Path parent;

    private InProcessJob join(String modes) {
        return InProcessJob.join(parent, SmallNodes.configs(SIZE, SmallNodes.modes(modes)));
    }

    private static void fill(MutableDirectBuffer buffer, long seed) {
        for (int i = 0; i + Long.BYTES <= buffer.capacity(); i += Long.BYTES) {
            buffer.putLong(i, seed + i);
        }
    }

    private static boolean isFilled(DirectBuffer buffer, int offset, int length, long seed) {
        for (int i = 0; i + Long.BYTES <= length; i += Long.BYTES) {
            if (buffer.getLong(offset + i) != seed + i) {
                return false;
            }
        }
        return true;
    }

    @ParameterizedTest
    @ValueSource(strings = {"INVOKER", "DEDICATED", "SHARED", "MIXED"})
    void shouldExchangeRangesRoundByRound(String modes) throws Exception {
        try (InProcessJob job = join(modes)) {
            job.onThreads(rank -> {
                final Client client = job.node(rank).client();
                final Context context = job.context(rank);
                final Window window = client.window(LENGTH);
                final ReceptionCounter in = client.receptionCounter(window, 0, LENGTH, 1 - rank);
                client.publish("in", in);
                final Target to = context.attach(1 - rank, "in", InProcessJob.deadline());
                final InjectionCounter sent = client.injectionCounter();
                final Loan loan = context.loan();
                for (int round = 0; round < ROUNDS; round++) {
                    final int length = 8 + round * 8 % LENGTH;
                    assertThat(loan.claim(to, LENGTH - length, length)).isZero();
                    fill(loan.buffer(), 1_000_000L * rank + round);
                    in.expect(length);
                    sent.expect(length);
                    assertThat(loan.publish(sent)).isNotNegative();
                    context.await(in, InProcessJob.deadline());
                    assertThat(isFilled(window.buffer(), LENGTH - length, length, 1_000_000L * (1 - rank) + round))
                            .as("round %s", round)
                            .isTrue();
                    context.await(sent, InProcessJob.deadline());
                    context.barrier(InProcessJob.deadline());
                }
            });
        }
    }

    /** Sends records by loans and by value in turn, with local memory for the modes that need it. */
    @ParameterizedTest
    @ValueSource(strings = {"INVOKER", "DEDICATED", "SHARED", "MIXED"})
    void shouldDeliverRecordsInOrderAmongOtherMessages(String modes) throws Exception {
        try (InProcessJob job = join(modes)) {
            job.onThreads(rank -> {
                final Client client = job.node(rank).client();
                final Context context = job.context(rank);
                final AtomicLong received = new AtomicLong();
                context.handler(ID, (origin, buffer, metadata, metadataLength, payload, length) -> {
                    final long number = received.getAndIncrement();
                    assertThat(isFilled(buffer, payload, length, 1_000_000L * (1 - rank) + number))
                            .as("message %s", number)
                            .isTrue();
                });
                context.barrier(InProcessJob.deadline());
                final Window window = client.window(2 * 1024);
                final Loan loan = context.loan(window, 0, 1016);
                final Message to = new Message().to(1 - rank, ID);
                for (int i = 0; i < ROUNDS; i++) {
                    final int length = 8 + i * 8 % 1008;
                    if (i % 2 == 0) {
                        context.await(() -> loan.claim(to, length) == 0, InProcessJob.deadline());
                        fill(loan.buffer(), 1_000_000L * rank + i);
                        context.await(() -> loan.publish() >= 0, InProcessJob.deadline());
                    } else {
                        window.buffer().putLong(1024, 1_000_000L * rank + i);
                        context.await(
                                () -> context.sendImmediate(1 - rank, ID, window.buffer(), 1024, 8) >= 0,
                                InProcessJob.deadline());
                    }
                }
                context.await(() -> received.get() == ROUNDS, InProcessJob.deadline());
                context.barrier(InProcessJob.deadline());
            });
        }
    }

    /** Closes windows under a borrower that notifies; each memory is reused only once its loan has ended. */
    @ParameterizedTest
    @ValueSource(strings = {"INVOKER", "DEDICATED", "SHARED", "MIXED"})
    @MappedOnly(MappedOnly.LOCAL_LOANS)
    void shouldReuseMemoryOnlyAfterTheLoans(String modes) throws Exception {
        try (InProcessJob job = join(modes)) {
            final AtomicLong ended = new AtomicLong();
            job.onThreads(rank -> {
                final Client client = job.node(rank).client();
                final Context context = job.context(rank);
                for (int round = 1; round <= 20; round++) {
                    final String name = "in" + round;
                    if (rank == 0) {
                        final Window window = client.window(LENGTH);
                        final ReceptionCounter in = client.receptionCounter(window, 0, LENGTH);
                        client.publish(name, in);
                        context.barrier(InProcessJob.deadline());
                        // The loan is open: the closing does not end before it.
                        final Closing closing = client.close(in);
                        assertThatThrownBy(() -> client.await(closing, context, Deadline.in(5, TimeUnit.MILLISECONDS)))
                                .isInstanceOf(DeadlineException.class);
                        context.barrier(InProcessJob.deadline());
                        client.await(closing, context, InProcessJob.deadline());
                        assertThat(ended.get()).isEqualTo(round);
                        client.await(client.close(window), context, InProcessJob.deadline());
                    } else {
                        final Loan loan = context.loan();
                        loan.claim(context.attach(0, name, InProcessJob.deadline()), 0, LENGTH);
                        context.barrier(InProcessJob.deadline());
                        context.barrier(InProcessJob.deadline());
                        fill(loan.buffer(), round);
                        ended.set(round);
                        if (round % 2 == 0) {
                            loan.abandon();
                        } else {
                            loan.publish(new Notification().at(ID));
                        }
                    }
                }
                context.barrier(InProcessJob.deadline());
            });
        }
    }

    /** Reuses memory while the borrower claims and writes all the time: nothing changes after a closing. */
    @ParameterizedTest
    @Tag("long")
    @ValueSource(strings = {"INVOKER", "DEDICATED", "SHARED", "MIXED"})
    void shouldNeverWriteInReusedMemory(String modes) throws Exception {
        try (InProcessJob job = join(modes)) {
            final AtomicReference<@Nullable Target> published = new AtomicReference<>();
            final AtomicLong claims = new AtomicLong();
            job.onThreads(rank -> {
                final Client client = job.node(rank).client();
                final Context context = job.context(rank);
                if (rank == 0) {
                    final Window window = client.window(LENGTH);
                    for (int round = 1; round <= ROUNDS; round++) {
                        final ReceptionCounter in = client.receptionCounter(window, 0, LENGTH, 1);
                        published.set(new Target(0, in.id(), in.incarnation(), LENGTH, false));
                        final long sum = claims.get() + round % 3;
                        context.await(() -> claims.get() >= sum, InProcessJob.deadline());
                        client.await(client.close(in), context, InProcessJob.deadline());
                        fill(window.buffer(), round);
                        context.advance();
                        assertThat(isFilled(window.buffer(), 0, LENGTH, round))
                                .as("round %s", round)
                                .isTrue();
                    }
                    published.set(null);
                } else {
                    borrow(context, published, claims);
                }
                context.barrier(InProcessJob.deadline());
            });
        }
    }

    private static void borrow(Context context, AtomicReference<@Nullable Target> published, AtomicLong claims) {
        final Loan[] loans = {context.loan(), context.loan()};
        // The first target is published soon.
        context.await(() -> published.get() != null, InProcessJob.deadline());
        Target to = published.get();
        for (int i = 0; to != null; i++) {
            final Loan loan = loans[i % 2];
            final Target in = to;
            if (loan.claim(in, 0, LENGTH) == 0) {
                claims.incrementAndGet();
                loan.buffer().setMemory(0, LENGTH, (byte) -1);
            } else {
                context.advance();
            }
            final Loan other = loans[(i + 1) % 2];
            if (other.isOpen() && i % 4 == 0) {
                context.await(() -> other.publish() >= 0, InProcessJob.deadline());
            } else {
                other.abandon();
            }
            context.advance();
            to = published.get();
        }
        loans[0].abandon();
        loans[1].abandon();
    }

    /** Closes a node with open loans: they are abandoned, what was injected behind them is carried out. */
    @ParameterizedTest
    @ValueSource(strings = {"INVOKER", "DEDICATED", "SHARED"})
    @MappedOnly(MappedOnly.LOCAL_LOANS)
    void shouldAbandonLoansWhenTheNodeIsClosed(String modes) {
        final InProcessJob job = join(modes);
        final Node borrower = job.node(0);
        final Node owner = job.node(1);
        final Client client = owner.client();
        final Window window = client.window(LENGTH);
        final ReceptionCounter in = client.receptionCounter(window, 0, LENGTH);
        final AtomicLong received = new AtomicLong();
        client.context().handler(ID, (origin, buffer, m, ml, payload, length) -> received.incrementAndGet());
        final Context context = borrower.client().context();
        final Loan range = context.loan();
        final Loan record = context.loan(borrower.client().window(64), 0, 64);
        range.claim(new Target(1, in.id(), in.incarnation(), LENGTH, false), 0, LENGTH);
        record.claim(new Message().to(1, ID), 64);
        context.sendImmediate(1, ID, window.buffer(), 0, 8);
        final Closing closing = client.close(in);
        assertThat(closing.isDone()).isFalse();

        final List<String> logged = new CopyOnWriteArrayList<>();
        final Logger logger = Logger.getLogger(Node.class.getName());
        logger.setFilter(entry -> !logged.add(entry.getMessage()));
        borrower.close();
        logger.setFilter(null);

        assertThat(logged)
                .singleElement()
                .asString()
                .startsWith("rank 0 closes with open loans, which are abandoned")
                .contains("; the loan of 4096 bytes at offset 0 of reception counter " + in.id() + " of rank 1")
                .contains("; the loan of 64 bytes");
        assertThat(range.isOpen()).isFalse();
        assertThat(record.isOpen()).isFalse();
        assertThatThrownBy(() -> range.buffer().putLong(0, 1)).isInstanceOf(IndexOutOfBoundsException.class);
        assertThatThrownBy(() -> range.claim(Target.nowhere(), 0, 8)).isInstanceOf(ClosedException.class);
        // Not by a wait of the context: it would end, because every possible sender has left.
        final long deadlineNs = InProcessJob.deadline();
        while (!closing.isDone() || received.get() != 1) {
            assertThat(Deadline.reached(deadlineNs)).as(closing.toString()).isFalse();
            client.context().advance();
        }
        job.close();
    }

    @Test
    void shouldNameTheSettingOfAClientWithoutWindowMemory() {
        try (InProcessJob job = join("DEDICATED")) {
            final Context context = job.node(0)
                    .openClient(ClientConfig.named("bare").withContexts(1).withCounters(1, 1))
                    .context();
            assertThatThrownBy(() -> context.loan().claim(new Message().to(0, ID), 8))
                    .isInstanceOf(IllegalStateException.class)
                    .hasMessageContaining("the loan needs 8 bytes of local memory")
                    .hasMessageContaining("raise ClientConfig.withWindowBytes");
        }
    }

    @Test
    void shouldNameTheRemedyWhereARecordNeedsLocalMemory() {
        try (InProcessJob job = join("DEDICATED")) {
            final Context context = job.context(0);
            final Loan loan = context.loan();
            assertThat(loan.claim(new Message().to(1, ID), 8)).isZero();
            loan.abandon();
            final Window window = job.node(0).client().window(64);
            assertThatThrownBy(() -> context.loan(window, 0, 64).claim(new Message().to(1, ID), 65))
                    .isInstanceOf(IllegalArgumentException.class)
                    .hasMessageContaining("64 bytes of local memory: length=65");
            assertThatThrownBy(() -> context.loan(window, 1, 64))
                    .isInstanceOf(IllegalArgumentException.class)
                    .hasMessageContaining("loan range [1, 1 + 64) lies outside");
            job.node(0).client().window((1 << 16) - 256);
            assertThatThrownBy(() -> loan.claim(new Message().to(1, ID), 256))
                    .isInstanceOf(IllegalStateException.class)
                    .hasMessageContaining("the loan needs 256 bytes of local memory")
                    .hasMessageContaining("an engine with a thread of its own")
                    .hasMessageContaining("raise NodeConfig.withWindowBytes")
                    .hasMessageContaining("make the loan with Context.loan(window, offset, length)");
            assertThat(job.node(0).threading()).isEqualTo(Threading.DEDICATED);
        }
    }
}
