package org.segno.node;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import org.agrona.concurrent.UnsafeBuffer;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.segno.context.Client;
import org.segno.context.Context;
import org.segno.geometry.Endpoint;
import org.segno.memory.Closing;
import org.segno.memory.InjectionCounter;
import org.segno.memory.ReceptionCounter;
import org.segno.memory.Target;
import org.segno.memory.Window;
import org.segno.node.NodeConfig.Threading;
import org.segno.operation.Message;
import org.segno.operation.ThreadLevel;
import org.segno.pattern.Pattern;
import org.segno.pattern.Rounds;
import org.segno.saved.SavedPatterns;
import org.segno.status.ClosedException;
import org.segno.status.Deadline;
import org.segno.status.DeadlineException;
import org.segno.status.RefusedException;
import org.segno.status.Status;

/** Closing of clients, on one thread that runs two nodes. */
@Timeout(120)
@OverMemoryAndLinks
class ClientCloseTest {
    private static final int ID = 5;
    private static final ClientConfig ALPHA =
            ClientConfig.named("alpha").withContexts(2).withCounters(3, 4).withWindowBytes(4096);

    private static final ClientConfig ALPHA_AS_BETA =
            ClientConfig.named("beta").withContexts(2).withCounters(3, 4).withWindowBytes(4096);

    @TempDir
    Path parent;

    private final UnsafeBuffer bytes = new UnsafeBuffer(new byte[32]);

    private static NodeConfig config() {
        return SmallNodes.config(Threading.INVOKER, 2)
                .withContexts(3)
                .withFifos(4)
                .withThreadLevel(ThreadLevel.SERIALIZED)
                .withLaneBudgetBytes(1 << 20);
    }

    private InProcessJob join() {
        return InProcessJob.join(parent, 2, config());
    }

    /** Advances every node until the closing is done. */
    private static void settle(InProcessJob job, Closing closing, Context... others) {
        final long deadlineNs = InProcessJob.deadline();
        while (!closing.isDone()) {
            assertThat(Deadline.reached(deadlineNs)).as(closing.toString()).isFalse();
            job.context(0).advance();
            job.context(1).advance();
            for (final Context other : others) {
                // Runs the engine, and leaves the messages in the lanes.
                other.advance(0);
            }
        }
    }

    private static long endpoint(Client from, int rank, int offset) {
        return from.endpoint(rank, offset, InProcessJob.deadline());
    }

    @Test
    void shouldRefuseEveryCallOfAClosedClientByName() {
        try (InProcessJob job = join()) {
            final Client client = job.node(0).openClient(ALPHA);
            final Context context = client.context();
            final Window window = client.window(64);
            final ReceptionCounter counter = client.receptionCounter(window, 0, 64);
            final Pattern pattern = context.record(1, Rounds.ORDERED_BY_CALLER, () -> context.expect(counter, 0));
            context.await(pattern, 1, InProcessJob.deadline());

            final Closing closing = client.close();
            assertThat(client.close()).isSameAs(closing);
            settle(job, closing);
            assertThat(closing.awaited()).isNull();
            assertThat(client.close()).isSameAs(closing);

            final String named = "client \"alpha\" of rank 0 was closed";
            final List<Runnable> calls = new ArrayList<>(List.of(
                    client::context,
                    client::createContext,
                    () -> client.window(8),
                    client::injectionCounter,
                    () -> client.endpoint(1, 0, InProcessJob.deadline()),
                    context::advance,
                    () -> context.advance(1),
                    () -> context.handler(ID, (o, b, m, ml, p, pl) -> {}),
                    () -> context.post(() -> 0),
                    () -> context.sendImmediate(0, ID, bytes, 0, 8),
                    () -> context.barrier(InProcessJob.deadline()),
                    () -> context.record(2, Rounds.ORDERED_BY_CALLER, () -> {}),
                    () -> context.replay(pattern),
                    () -> context.pattern(1),
                    () -> context.await(pattern, 1, InProcessJob.deadline()),
                    () -> context.await(() -> false, InProcessJob.deadline()),
                    () -> context.fence(InProcessJob.deadline()),
                    context::injectionFifo,
                    () -> context.persistentFifo().priority(1),
                    () -> context.attach(1, "x", InProcessJob.deadline()),
                    () -> SavedPatterns.save(client, parent.resolve("saved"))));
            for (final Runnable call : calls) {
                assertThatThrownBy(call::run)
                        .isInstanceOf(ClosedException.class)
                        .hasMessageContaining(named);
            }
            assertThatThrownBy(counter::valueAcquire).isInstanceOf(ClosedException.class);
            assertThatThrownBy(() -> client.publish("x", counter)).isInstanceOf(ClosedException.class);
            assertThat(pattern.isClosed()).isTrue();
            assertThat(context.isDrained()).isTrue();
            assertThat(client.isDrained()).isTrue();
        }
    }

    @Test
    void shouldReturnTheShareToTheOwnClientAndToLaterOnes() {
        try (InProcessJob job = join()) {
            final Node node = job.node(0);
            final String before = node.client().toString();
            for (int round = 0; round < 5; round++) {
                final Client client = node.openClient(ALPHA);
                assertThat(client.context(1).injectionFifo().number()).isEqualTo(1);
                final Window window = client.window(4096);
                client.publish("name", client.receptionCounter(window, 0, 8));
                client.publish("pair", client.counterPair(window, 0, 8, 8));
                client.injectionCounter();
                assertThatThrownBy(() -> node.openClient(ClientConfig.named("alpha")))
                        .hasMessageContaining("already opened a client of this name");
                assertThatThrownBy(
                                () -> node.openClient(ClientConfig.named("beta").withContexts(2)))
                        .isInstanceOf(IllegalStateException.class)
                        .hasMessageContaining("contexts left");
                settle(job, client.close());
                assertThat(node.client()).hasToString(before);
            }
            final Client other = node.openClient(ALPHA_AS_BETA);
            assertThat(Endpoint.use(other.context(0).endpoint())).isEqualTo(5);
            settle(job, other.close());
            final Context own = node.client().context(2);
            assertThat(Endpoint.use(own.endpoint())).isEqualTo(6);
            assertThat(Endpoint.client(own.endpoint())).isZero();
        }
    }

    @Test
    void shouldRefuseToCloseTheOwnClientAndToCloseWithinAHandlerOrPostedWork() {
        try (InProcessJob job = join()) {
            assertThatThrownBy(() -> job.node(0).client().close())
                    .isInstanceOf(IllegalStateException.class)
                    .hasMessageContaining("close the node");
            final Client client = job.node(0).openClient(ALPHA);
            final Context context = client.context();
            final AtomicReference<RuntimeException> refused = new AtomicReference<>();
            final Runnable close = () -> {
                try {
                    client.close();
                } catch (final IllegalStateException e) {
                    refused.set(e);
                }
            };
            context.handler(ID, (o, b, m, ml, p, pl) -> close.run());
            context.sendImmediate(context.endpoint(), ID, bytes, 0, 8);
            advanceUntilSet(context, refused);
            assertThat(refused.getAndSet(null)).hasMessageContaining("cannot close its client \"alpha\"");
            context.post(() -> {
                close.run();
                return 0;
            });
            advanceUntilSet(context, refused);
            assertThat(refused.get()).hasMessageContaining("after advance has returned");
            // A handler of another client may close it.
            final AtomicReference<Closing> closing = new AtomicReference<>();
            job.context(0).handler(ID, (o, b, m, ml, p, pl) -> closing.set(client.close()));
            job.context(0).sendImmediate(job.context(0).endpoint(), ID, bytes, 0, 8);
            advanceUntilSet(job.context(0), closing);
            settle(job, Objects.requireNonNull(closing.get()));
        }
    }

    private static void advanceUntilSet(Context context, AtomicReference<?> reference) {
        for (int pass = 0; pass < 10_000 && reference.get() == null; pass++) {
            context.advance();
        }
        assertThat(reference.get()).isNotNull();
    }

    @Test
    @MappedOnly(MappedOnly.ONE_THREAD)
    void shouldCarryOutWhatWasInjectedRecordedAndPostedBefore() {
        try (InProcessJob job = join()) {
            final ReceptionCounter in =
                    job.node(1).client().receptionCounter(job.node(1).client().window(64), 0, 64);
            final Target to = new Target(1, in.id(), in.incarnation(), 64, false);
            final Client client = job.node(0).openClient(ALPHA);
            final Context context = client.context();
            final Window window = client.window(64);
            final Pattern pattern = context.record(1, Rounds.ORDERED_BY_CALLER, () -> context.put(to, 0, window, 0, 1));
            context.await(pattern, 1, InProcessJob.deadline());
            for (int i = 0; i < 10; i++) {
                context.put(to, 0, window, 0, 1);
            }
            assertThat(context.replay(pattern)).isEqualTo(2);
            context.injectionFifo().put(to, 0, window, 0, 1);
            final AtomicInteger posted = new AtomicInteger();
            context.post(() -> context.put(to, 0, window, 0, 1) + posted.incrementAndGet());
            context.recordBegin(2, Rounds.ORDERED_BY_CALLER);
            context.put(to, 0, window, 0, 1);
            context.recordAbandon();

            settle(job, client.close());

            assertThat(posted).hasValue(1);
            assertThat(in.valueAcquire()).isEqualTo(-15);
        }
    }

    @Test
    void shouldAbandonAnOpenRecordingAndReportWorkThatCannotRun() {
        try (InProcessJob job = join()) {
            final Client client = job.node(0).openClient(ALPHA);
            final Context context = client.context();
            context.recordBegin(1, Rounds.ORDERED_BY_CALLER);
            context.sendImmediate(job.context(1).endpoint(), ID, bytes, 0, 8);
            context.post(() -> Status.AGAIN);
            settle(job, client.close());
            final Client again = job.node(0).openClient(ALPHA);
            assertThat(again.context().pattern(1)).isNull();
            final Context fresh = again.context();
            final Pattern pattern = fresh.record(
                    1, Rounds.ORDERED_BY_CALLER, () -> fresh.sendImmediate(fresh.endpoint(), ID, bytes, 0, 8));
            fresh.await(pattern, 1, InProcessJob.deadline());
            settle(job, again.close());
        }
    }

    @Test
    @MappedOnly(MappedOnly.ONE_THREAD)
    void shouldNeverDeliverAStaleMessageToALaterClient() {
        try (InProcessJob job = join()) {
            final Client sender = job.node(1).openClient(ALPHA);
            final Client client = job.node(0).openClient(ALPHA);
            final long stale = endpoint(sender, 0, 1);
            // Messages that no handler accepts before the close are dropped.
            final AtomicInteger received = new AtomicInteger();
            client.context(1).handler(ID, (o, b, m, ml, p, pl) -> received.incrementAndGet());
            for (int i = 0; i < 5; i++) {
                sender.context().sendImmediate(stale, ID, bytes, 0, 8);
            }
            sender.context().fence(InProcessJob.deadline());
            settle(job, client.close(), sender.context());
            final Client later = job.node(0).openClient(ALPHA);
            for (int number = 0; number < 2; number++) {
                later.context(number).handler(ID, (o, b, m, ml, p, pl) -> received.incrementAndGet());
            }

            final InjectionCounter counter = sender.injectionCounter();
            final Window window = sender.window(64);
            final Message message =
                    new Message().to(stale, ID).payload(window, 0, 8).completes(counter);
            counter.expect(8);
            sender.context().send(message);
            assertThatThrownBy(() -> sender.context().await(counter, InProcessJob.deadline()))
                    .isInstanceOf(RefusedException.class)
                    .hasMessageContaining("rank 0 refused")
                    .hasMessageContaining("client of the target's context was closed");
            counter.reset();
            counter.expect(8);
            sender.context().multicast(message.metadata(window, 0, 8), new long[] {stale}, 0, 1);
            assertThatThrownBy(() -> sender.context().await(counter, InProcessJob.deadline()))
                    .isInstanceOf(RefusedException.class);
            final Pattern pattern = sender.context()
                    .record(1, Rounds.ORDERED_BY_CALLER, () -> sender.context().sendImmediate(stale, ID, bytes, 0, 8));
            assertThatThrownBy(() -> sender.context().await(pattern, 1, InProcessJob.deadline()))
                    .isInstanceOf(RefusedException.class)
                    .hasMessageContaining("is stale: rank 0 refused a round of it")
                    .hasMessageContaining("Client.endpoint");
            assertThatThrownBy(() -> SavedPatterns.save(sender, parent.resolve("saved")))
                    .isInstanceOf(IllegalStateException.class)
                    .hasMessageContaining("context 2 of rank 0, whose client was closed");

            final long fresh = endpoint(sender, 0, 1);
            assertThat(fresh).isNotEqualTo(stale);
            assertThat(Endpoint.context(fresh)).isEqualTo(Endpoint.context(stale));
            sender.context().sendImmediate(fresh, ID, bytes, 0, 8);
            sender.context().sendImmediate(0, ID, bytes, 0, 8);
            sender.context().fence(InProcessJob.deadline());
            later.context(0).advance();
            later.context(1).advance();
            assertThat(received).hasValue(2);
        }
    }

    @Test
    @MappedOnly(MappedOnly.ONE_THREAD)
    void shouldShowTheClientAndTheUseOfTheOriginOfEachMessage() {
        try (InProcessJob job = join()) {
            final Client sink = job.node(1).openClient(ALPHA);
            final List<Long> origins = new ArrayList<>();
            sink.context().handler(ID, (origin, b, m, ml, p, pl) -> origins.add(origin));
            final List<Long> senders = new ArrayList<>();
            for (int round = 0; round < 4; round++) {
                final Client client = job.node(0).openClient(round % 2 == 0 ? ALPHA : ALPHA_AS_BETA);
                final long to =
                        round % 2 == 0 ? endpoint(client, 1, 0) : sink.context().endpoint();
                for (int number = 0; number < 2; number++) {
                    client.context(number).sendImmediate(to, ID, bytes, 0, 8);
                    client.context(number).fence(InProcessJob.deadline());
                    senders.add(client.context(number).endpoint());
                }
                settle(job, client.close(), sink.context());
            }
            // The receiver reads all messages after their clients were closed, and still shows each of them.
            sink.context().advance();
            assertThat(origins).containsExactlyInAnyOrderElementsOf(senders).doesNotHaveDuplicates();
            // A reply to any of them is refused, also after the next client was opened.
            job.node(0).openClient(ALPHA).context().handler(ID, (o, b, m, ml, p, pl) -> {
                throw new AssertionError("a reply to an earlier client");
            });
            final InjectionCounter counter = sink.injectionCounter();
            final Window window = sink.window(8);
            for (final long origin : origins) {
                counter.expect(8);
                sink.context()
                        .send(new Message().to(origin, ID).payload(window, 0, 8).completes(counter));
                assertThatThrownBy(() -> sink.context().await(counter, InProcessJob.deadline()))
                        .isInstanceOf(RefusedException.class);
                counter.reset();
            }
        }
    }

    @Test
    @MappedOnly(MappedOnly.ONE_THREAD)
    void shouldReleaseSendersThatWaitForRoom() {
        try (InProcessJob job = join()) {
            final Client sender = job.node(1).openClient(ALPHA);
            final Client client = job.node(0).openClient(ALPHA);
            final long to = endpoint(sender, 0, 0);
            // Fills the lane, and then the FIFO behind it.
            int sent = 0;
            for (int idle = 0; idle < 100; idle++) {
                if (sender.context().sendImmediate(to, ID, bytes, 0, 32) >= 0) {
                    sent++;
                    idle = 0;
                }
                sender.context().advance();
            }
            assertThat(sender.context().isDrained()).isFalse();
            final Closing closing = client.close();
            sender.context().fence(InProcessJob.deadline());
            settle(job, closing, sender.context());
            assertThat(sent).isGreaterThan(20);
            final Client later = job.node(0).openClient(ALPHA);
            final AtomicInteger received = new AtomicInteger();
            later.context().handler(ID, (o, b, m, ml, p, pl) -> received.incrementAndGet());
            final long fresh = endpoint(sender, 0, 0);
            for (int i = 0; i < 1000; i++) {
                while (sender.context().sendImmediate(fresh, ID, bytes, 0, 32) < 0) {
                    sender.context().advance();
                    later.context().advance();
                }
            }
            while (received.get() < 1000) {
                sender.context().advance();
                later.context().advance();
            }
            later.context().advance();
            assertThat(received).hasValue(1000);
        }
    }

    @Test
    @MappedOnly(MappedOnly.ONE_THREAD)
    void shouldWaitForTheClientThatAPeerOpensAgain() {
        try (InProcessJob job = join()) {
            final Client waiting = job.node(1).openClient(ALPHA);
            final Client client = job.node(0).openClient(ALPHA);
            final long first = endpoint(waiting, 0, 0);
            settle(job, client.close(), waiting.context());
            assertThatThrownBy(() -> waiting.endpoint(0, 0, Deadline.in(5, TimeUnit.MILLISECONDS)))
                    .isInstanceOf(DeadlineException.class)
                    .hasMessageContaining("rank 0 to open client \"alpha\"");
            job.node(0).openClient(ALPHA);
            final long second = endpoint(waiting, 0, 0);
            assertThat(Endpoint.use(second)).isEqualTo(Endpoint.use(first) + 1);
            assertThat(endpoint(waiting, 0, 0)).isEqualTo(second);
        }
    }

    @Test
    @MappedOnly(MappedOnly.ONE_THREAD)
    void shouldEndTheBarriersOfPeersByName() {
        try (InProcessJob job = join()) {
            final Client zero = job.node(0).openClient(ALPHA);
            final Client one = job.node(1).openClient(ALPHA);
            endpoint(one, 0, 0);
            assertThatThrownBy(() -> one.context().barrier(Deadline.in(20, TimeUnit.MILLISECONDS)))
                    .isInstanceOf(DeadlineException.class);
            zero.close();
            final long deadlineNs = InProcessJob.deadline();
            for (int repeat = 0; repeat < 2; repeat++) {
                assertThatThrownBy(() -> one.context().barrier(deadlineNs))
                        .isInstanceOf(ClosedException.class)
                        .hasMessageContaining("rank 0 has closed client \"alpha\"");
            }
        }
    }

    @Test
    void shouldWaitForTheLockThatAnotherThreadHolds() throws Exception {
        final NodeConfig config = config().withThreadLevel(ThreadLevel.MULTIPLE);
        try (InProcessJob job = InProcessJob.join(parent, 1, config)) {
            final Context own = job.context(0);
            own.lock();
            final Client client = job.node(0).openClient(ALPHA);
            final AtomicReference<String> next = new AtomicReference<>("");
            final Context context = client.context();
            final Thread other = new Thread(() -> {
                context.lock();
                context.advance();
                next.set("held");
                while ("held".equals(next.get())) {
                    Thread.onSpinWait();
                }
                context.unlock();
                while (!"end".equals(next.get())) {
                    Thread.onSpinWait();
                }
            });
            other.start();
            while (!"held".equals(next.get())) {
                Thread.onSpinWait();
            }
            final Closing closing = client.close();
            own.advance();
            assertThat(closing.isDone()).isFalse();
            assertThat(closing.awaited()).contains("to leave " + context);
            next.set("release");
            // The thread is alive, and calls nothing more.
            job.node(0).client().await(closing, own, InProcessJob.deadline());
            next.set("end");
            other.join();
        }
    }

    @Test
    void shouldNotCompleteBeforeAPatternOfAnotherClientIsClosed() {
        try (InProcessJob job = join()) {
            final Client client = job.node(0).openClient(ALPHA);
            final Window window = client.window(64);
            final Window other = job.node(0).client().window(64);
            final Context context = job.context(0);
            final Pattern pattern =
                    context.record(1, Rounds.ORDERED_BY_CALLER, () -> context.copy(window, 0, other, 0, 8));
            context.await(pattern, 1, InProcessJob.deadline());
            final Closing closing = client.close();
            for (int i = 0; i < 200; i++) {
                job.context(0).advance();
                job.context(1).advance();
                assertThat(closing.isDone()).isFalse();
            }
            assertThat(closing.awaited()).contains("pattern 1 of context 0 of rank 0");
            pattern.close();
            settle(job, closing);
        }
    }

    @Test
    void shouldNotCompleteBeforeACounterOfAnotherClientWithEventsHereIsClosed() {
        try (InProcessJob job = join()) {
            final Client client = job.node(0).openClient(ALPHA);
            final Client own = job.node(0).client();
            final ReceptionCounter counter = own.receptionCounter(own.window(8), 0, 8);
            client.context().onHit(counter, id -> {});
            final Closing closing = client.close();
            for (int i = 0; i < 200; i++) {
                job.context(0).advance();
                job.context(1).advance();
                assertThat(closing.isDone()).isFalse();
            }
            assertThat(closing.awaited()).contains("the close of reception counter");
            own.close(counter);
            settle(job, closing);
        }
    }

    @Test
    @Tag("long")
    void shouldEndWithTheNodeWhileAClientIsClosing() {
        final Closing closing;
        try (InProcessJob job = join()) {
            final Client client = job.node(0).openClient(ALPHA);
            client.context().waitUntil(client.receptionCounter(client.window(8), 0, 8), -1);
            closing = client.close();
            assertThat(closing.isDone()).isFalse();
            assertThat(closing.awaited()).contains("the engine to carry out").contains("WAIT");
            assertThatThrownBy(() ->
                            job.node(0).client().await(closing, job.context(0), Deadline.in(20, TimeUnit.MILLISECONDS)))
                    .isInstanceOf(DeadlineException.class)
                    .hasMessageContaining("client \"alpha\", which is being closed");
        }
        assertThat(closing.isDone()).isFalse();
        assertThat(closing.awaited()).contains("rank 0 was closed");
    }
}
