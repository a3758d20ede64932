package org.segno.node;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.file.Path;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.segno.context.Client;
import org.segno.context.Context;
import org.segno.engine.doorbell.DoorbellRecord;
import org.segno.geometry.Endpoint;
import org.segno.memory.Closing;
import org.segno.memory.InjectionCounter;
import org.segno.memory.ReceptionCounter;
import org.segno.memory.Target;
import org.segno.memory.Window;
import org.segno.node.NodeConfig.Threading;
import org.segno.operation.Notification;
import org.segno.operation.ThreadLevel;
import org.segno.status.Deadline;
import org.segno.status.RefusedException;

/**
 * PUTs of rank 0 that notify an earlier use of a counter or a context of rank 1. They are refused, wake no parked
 * waiter, and raise no event for the present use.
 */
@Timeout(120)
@SuppressWarnings("NullAway.Init") // join sets the fields, in the mode of each test
class StaleNotificationTest {
    private static final int ID = 7;
    private static final int LOOKS = 200_000;
    private static final ClientConfig ALPHA =
            ClientConfig.named("alpha").withCounters(4, 4).withWindowBytes(4096);

    @TempDir
    Path parent;

    private final ExecutorService threads = Executors.newCachedThreadPool();
    private final AtomicInteger notified = new AtomicInteger();
    private final AtomicInteger hits = new AtomicInteger();
    private InProcessJob job;
    private Window source;
    private InjectionCounter sent;

    @AfterEach
    void end() {
        threads.shutdownNow();
        if (job != null) {
            job.close();
        }
    }

    private void join(Threading mode) {
        job = InProcessJob.join(
                parent,
                2,
                SmallNodes.config(mode, 2)
                        .withContexts(2)
                        .withFifos(4)
                        .withCounters(32, 32)
                        .withWindowBytes(1 << 16)
                        .withThreadLevel(ThreadLevel.SERIALIZED)
                        .withLaneBudgetBytes(1 << 20)
                        .withParking(WakefulIdle::make));
        source = job.node(0).client().window(64);
        sent = job.node(0).client().injectionCounter();
    }

    private void settle(Closing closing) {
        final long deadlineNs = InProcessJob.deadline();
        while (!closing.isDone()) {
            assertThat(Deadline.reached(deadlineNs)).as(closing.toString()).isFalse();
            job.context(0).advance();
            job.context(1).advance();
        }
    }

    private Target attach(String name) {
        return job.context(0).attach(1, name, InProcessJob.deadline());
    }

    /** Returns the number of parks, once a thread has been parked for a while. */
    private static long awaitParked(DoorbellRecord doorbell) {
        long before;
        do {
            before = doorbell.parksAcquire();
        } while (!DoorbellRecord.isParked(before) || !remains(doorbell, before));
        return before;
    }

    /** Returns true if a thread is in the same park at each of many looks. */
    private static boolean remains(DoorbellRecord doorbell, long parks) {
        for (int look = 0; look < LOOKS; look++) {
            if (doorbell.parksAcquire() != parks) {
                return false;
            }
            Thread.onSpinWait();
        }
        return true;
    }

    /** Sends a stale PUT and then a fresh one to a waiter that is parked. */
    private void requireRefused(
            Context sender, Runnable refresh, Target target, Context waiting, ReceptionCounter present)
            throws Exception {
        final Target fresh = attach("present");
        final Notification notification = new Notification().at(ID).completes(sent);
        final Future<?> wait = threads.submit(() -> waiting.await(() -> notified.get() == 1, InProcessJob.deadline()));
        final DoorbellRecord doorbell = new DoorbellRecord(job.node(1).memory(), Endpoint.context(waiting.endpoint()));
        final long parks = awaitParked(doorbell);
        sent.expect(8);
        sender.putNotifying(target, 0, source, 0, 8, notification);
        assertThatThrownBy(() -> sender.await(sent, InProcessJob.deadline()))
                .isInstanceOf(RefusedException.class)
                .hasMessageContaining("rank 1 refused")
                .hasMessageContaining("was closed");
        assertThat(remains(doorbell, parks)).as("still the same park").isTrue();
        assertThat(notified).hasValue(0);
        assertThat(hits).hasValue(0);
        assertThat(present.valueAcquire()).isEqualTo(8);

        refresh.run();
        sent.reset();
        sender.putNotifying(fresh, 0, source, 0, 8, notification);
        sender.fence(InProcessJob.deadline());
        wait.get(60, TimeUnit.SECONDS);
        assertThat(doorbell.parksAcquire()).isGreaterThan(parks);
        assertThat(hits).hasValue(1);
    }

    @ParameterizedTest
    @EnumSource
    void shouldRefuseAPutToAnEarlierUseOfACounter(Threading mode) throws Exception {
        join(mode);
        final Client client = job.node(1).client();
        final Context context = job.context(1);
        final Window window = client.window(64);
        final ReceptionCounter earlier = client.receptionCounter(window, 0, 64);
        client.publish("earlier", earlier);
        final Target stale = attach("earlier");
        settle(client.close(earlier));
        final ReceptionCounter present = client.receptionCounter(window, 0, 64);
        assertThat(present.id()).isEqualTo(earlier.id());
        context.onHit(present, id -> hits.incrementAndGet());
        context.notified(ID, (origin, at, offset, length) -> notified.incrementAndGet());
        client.publish("present", present);
        present.expect(8);
        requireRefused(job.context(0), () -> {}, stale, context, present);
    }

    @ParameterizedTest
    @EnumSource
    void shouldRefuseAPutThatNotifiesAnEarlierUseOfAContext(Threading mode) throws Exception {
        join(mode);
        final Client earlier = job.node(1).openClient(ALPHA);
        final Client sending = job.node(0).openClient(ALPHA);
        final long stale = sending.endpoint(1, 0, InProcessJob.deadline());
        settle(earlier.close());
        final Client present = job.node(1).openClient(ALPHA);
        final Context context = present.context();
        assertThat(Endpoint.context(context.endpoint())).isEqualTo(Endpoint.context(stale));
        assertThat(context.endpoint()).isNotEqualTo(stale);
        final Client client = job.node(1).client();
        final ReceptionCounter counter = client.receptionCounter(client.window(64), 0, 64);
        context.notified(ID, (origin, at, offset, length) -> {
            hits.incrementAndGet();
            notified.incrementAndGet();
        });
        client.publish("present", counter);
        counter.expect(8);
        // The sender's client has found the earlier use, and finds the next one when it searches again.
        requireRefused(
                sending.context(),
                () -> sending.endpoint(1, 0, InProcessJob.deadline()),
                attach("present"),
                context,
                counter);
    }
}
