package org.segno.node;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.stream.LongStream;
import org.agrona.concurrent.UnsafeBuffer;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.segno.context.Client;
import org.segno.context.Context;
import org.segno.geometry.Endpoint;
import org.segno.memory.ReceptionCounter;
import org.segno.memory.Target;
import org.segno.memory.Window;
import org.segno.node.NodeConfig.Threading;
import org.segno.operation.ThreadLevel;
import org.segno.status.ClosedException;
import org.segno.status.Deadline;
import org.segno.status.Status;

/** Contexts that are created after the join, within the reserved number. */
@Timeout(60)
@OverMemoryAndLinks
class ContextCreationTest {
    private static final int ID = 8;

    private final UnsafeBuffer bytes = new UnsafeBuffer(new byte[Long.BYTES]);
    private final List<Long> received = new ArrayList<>();

    @TempDir
    Path parent;

    private static NodeConfig config(Threading threading, int contexts) {
        return SmallNodes.config(threading, 2)
                .withContexts(contexts)
                .withEngines(contexts)
                .withCounters(16, 32)
                .withLaneBudgetBytes(2 * 4096L * 2 * contexts * contexts);
    }

    /** Sends up to {@code count} numbers from 0 on, until nothing fits for a second, and returns how many were sent. */
    private int send(Context from, long endpoint, int count) {
        for (int number = 0; number < count; number++) {
            bytes.putLong(0, number);
            final long untilNs = Deadline.in(1, TimeUnit.SECONDS);
            while (from.sendImmediate(endpoint, ID, bytes, 0, Long.BYTES) == Status.BACK_PRESSURED) {
                if (Deadline.reached(untilNs)) {
                    return number;
                }
                from.advance();
            }
        }
        return count;
    }

    private void receive(Context context) {
        context.handler(ID, (source, buffer, m, ml, p, pl) -> received.add(buffer.getLong(p)));
    }

    private static void drain(Context context) {
        final long deadlineNs = InProcessJob.deadline();
        while (!context.isDrained() && !Deadline.reached(deadlineNs)) {
            context.advance();
        }
        assertThat(context.isDrained()).isTrue();
    }

    @ParameterizedTest
    @EnumSource(Threading.class)
    @MappedOnly(value = MappedOnly.ONE_THREAD, threading = "INVOKER")
    void shouldDeliverMessagesThatWereSentBeforeTheContextExisted(Threading threading) {
        try (InProcessJob job = InProcessJob.join(parent, 2, config(threading, 2))) {
            final Client client = job.node(0).client();
            final long later = job.node(1).client().endpoint(0, 1, InProcessJob.deadline());
            assertThat(send(job.context(1), later, 20)).isEqualTo(20);
            drain(job.context(1));
            client.context(0).advance();

            final Context created = client.createContext();
            receive(created);
            while (received.size() < 20 && created.advance() > 0) {
                assertThat(received).isNotEmpty();
            }

            assertThat(created.endpoint()).isEqualTo(later);
            assertThat(received)
                    .containsExactlyElementsOf(LongStream.range(0, 20).boxed().toList());
            // It sends, puts and enters barriers as any other.
            exchange(job, created);
        }
    }

    private void exchange(InProcessJob job, Context created) {
        final Client client = job.node(0).client();
        final Window window = client.window(64);
        final ReceptionCounter inbox = client.receptionCounter(window, 32, 8);
        client.publish("inbox", inbox);
        final Target self = created.attach(0, "inbox", InProcessJob.deadline());
        window.buffer().putLong(0, 42);
        inbox.expect(8);
        created.put(self, 0, window, 0, 8);
        created.await(inbox, InProcessJob.deadline());
        assertThat(window.buffer().getLong(32)).isEqualTo(42);
    }

    @ParameterizedTest
    @Tag("long")
    @EnumSource(Threading.class)
    @MappedOnly(value = MappedOnly.ONE_THREAD, threading = "INVOKER")
    void shouldHoldTheSenderOfMoreThanTheLaneHoldsUntilTheContextExists(Threading threading) {
        try (InProcessJob job = InProcessJob.join(parent, 2, config(threading, 2))) {
            final Context sender = job.context(1);
            final long later = job.node(1).client().endpoint(0, 1, InProcessJob.deadline());
            // The slots of the FIFO, and a lane of 4 KiB.
            final int sent = send(sender, later, 1000);
            assertThat(sent).isBetween(16, 999);
            assertThat(sender.isDrained()).isFalse();

            final Context target = job.node(0).client().createContext();
            receive(target);
            final long deadlineNs = InProcessJob.deadline();
            while (received.size() < sent && !Deadline.reached(deadlineNs)) {
                Context.advanceAll(new Context[] {sender, target});
            }

            assertThat(received)
                    .containsExactlyElementsOf(LongStream.range(0, sent).boxed().toList());
        }
    }

    @ParameterizedTest
    @EnumSource(Threading.class)
    void shouldEnterABarrierWithAContextThatItsPeerCreatesLater(Threading threading) throws Exception {
        try (InProcessJob job = InProcessJob.join(parent, 2, config(threading, 2))) {
            job.onThreads(rank -> {
                final Client client = job.node(rank).client();
                client.context().barrier(InProcessJob.deadline());
                if (rank == 1) {
                    // The other rank is in its barrier, or enters it soon.
                    final long untilNs = Deadline.in(20, TimeUnit.MILLISECONDS);
                    while (!Deadline.reached(untilNs)) {
                        client.context().advance();
                    }
                }
                final Context second = client.createContext();
                for (int round = 0; round < 10; round++) {
                    second.barrier(InProcessJob.deadline());
                }
            });
        }
    }

    @Test
    void shouldCreateContextsUpToTheReservedNumber() {
        try (InProcessJob job = InProcessJob.join(parent, 1, config(Threading.INVOKER, 4))) {
            final Client client = job.node(0).client();
            assertThat(client.reservedContexts()).isEqualTo(4);
            final Context third = client.context(2);
            final Context second = client.createContext();
            final Context first = client.context();
            final Context fourth = client.createContext();

            assertThat(List.of(first, second, third, fourth))
                    .extracting(context -> Endpoint.offset(context.endpoint()))
                    .containsExactly(0, 1, 2, 3);
            for (int number = 0; number < 4; number++) {
                assertThat(client.context(number))
                        .isSameAs(List.of(first, second, third, fourth).get(number));
            }
            assertThatThrownBy(client::createContext)
                    .isInstanceOf(IllegalStateException.class)
                    .hasMessageContaining("all contexts of the node's own client with 4 contexts")
                    .hasMessageContaining("rank 0")
                    .hasMessageContaining("raise NodeConfig.withContexts");
        }
    }

    @ParameterizedTest
    @EnumSource(Threading.class)
    @MappedOnly(value = MappedOnly.ONE_THREAD, threading = "INVOKER")
    void shouldCreateTheContextsOfAClientThatWasOpenedByName(Threading threading) {
        final ClientConfig config =
                ClientConfig.named("library").withContexts(2).withCounters(2, 2);
        try (InProcessJob job = InProcessJob.join(parent, 2, config(threading, 3))) {
            final Client own = job.node(0).client();
            final Client library = job.node(0).openClient(config);
            final Client there = job.node(1).openClient(config);
            final Context sender = there.context();
            send(sender, there.endpoint(0, 1, InProcessJob.deadline()), 3);
            drain(sender);

            assertThat(Endpoint.context(own.context().endpoint())).isZero();
            assertThatThrownBy(own::createContext)
                    .as("the others belong to the library")
                    .isInstanceOf(IllegalStateException.class);
            final Context first = library.context();
            final Context second = library.createContext();
            receive(second);
            second.advance();
            second.advance();

            assertThat(Endpoint.context(first.endpoint())).isEqualTo(1);
            assertThat(second.endpoint()).isEqualTo(Endpoint.of(0, 1, 1, 2));
            assertThat(received).containsExactly(0L, 1L, 2L);
            assertThatThrownBy(library::createContext)
                    .isInstanceOf(IllegalStateException.class)
                    .hasMessageContaining("client \"library\" with 2 contexts")
                    .hasMessageContaining("raise ClientConfig.withContexts");
        }
    }

    @Test
    void shouldCreateAContextForTheCallingThread() throws Exception {
        final NodeConfig config = config(Threading.INVOKER, 3).withThreadLevel(ThreadLevel.FUNNELED);
        final ExecutorService other = Executors.newSingleThreadExecutor();
        try (InProcessJob job = InProcessJob.join(parent, 1, config)) {
            final Client client = job.node(0).client();
            final Context its = other.submit(() -> {
                        final Context created = client.createContext();
                        created.advance();
                        return created;
                    })
                    .get();
            // The thread that joined uses what the call by number creates, whichever thread calls.
            final Context own = other.submit(() -> client.context(2)).get();
            own.advance();

            assertThatThrownBy(its::advance).isInstanceOf(AssertionError.class);
            assertThatThrownBy(() -> other.submit(() -> own.advance()).get())
                    .isInstanceOf(ExecutionException.class)
                    .hasRootCauseInstanceOf(AssertionError.class);
        } finally {
            other.shutdownNow();
        }
    }

    @Test
    void shouldCreateADifferentContextForEachOfManyThreads() throws Exception {
        final int count = 8;
        final ExecutorService threads = Executors.newFixedThreadPool(count);
        try (InProcessJob job =
                InProcessJob.join(parent, 1, config(Threading.DEDICATED, count).withEngines(1))) {
            final Client client = job.node(0).client();
            final List<Future<Context>> created = new ArrayList<>();
            for (int i = 1; i < count; i++) {
                created.add(threads.submit(client::createContext));
            }
            final List<Integer> numbers = new ArrayList<>();
            for (final Future<Context> context : created) {
                numbers.add(Endpoint.context(context.get().endpoint()));
            }

            assertThat(numbers).containsExactlyInAnyOrder(1, 2, 3, 4, 5, 6, 7);
        } finally {
            threads.shutdownNow();
        }
    }

    @Test
    void shouldCreateNothingOnceTheNodeIsClosed() {
        try (InProcessJob job = InProcessJob.join(parent, 1, config(Threading.INVOKER, 2))) {
            final Client client = job.node(0).client();
            job.node(0).close();

            assertThatThrownBy(client::createContext)
                    .isInstanceOf(ClosedException.class)
                    .hasMessageContaining("rank 0 was closed");
            assertThatThrownBy(() -> client.context(1)).isInstanceOf(ClosedException.class);
        }
    }
}
