package org.segno.node;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import org.agrona.concurrent.UnsafeBuffer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.segno.context.Client;
import org.segno.context.Context;
import org.segno.memory.Closing;
import org.segno.memory.InjectionCounter;
import org.segno.memory.ReceptionCounter;
import org.segno.memory.Right;
import org.segno.memory.Target;
import org.segno.memory.Window;
import org.segno.node.NodeConfig.Threading;
import org.segno.operation.Message;
import org.segno.operation.Rmw;
import org.segno.operation.ThreadLevel;
import org.segno.status.Refusal;

/** Lone SENDs and RMWs, which the engine of the injecting thread executes at their injection. */
@Timeout(120)
class DirectExecutionTest {
    private static final int ID = 1;

    @TempDir
    Path parent;

    private final UnsafeBuffer word = new UnsafeBuffer(new byte[8]);
    private final List<Long> received = new ArrayList<>();

    private InProcessJob join() {
        final InProcessJob job = InProcessJob.join(parent, 2, SmallNodes.config(Threading.INVOKER, 2));
        job.context(1)
                .handler(
                        ID,
                        (origin, buffer, metadata, metadataLength, payload, length) ->
                                received.add(buffer.getLong(metadataLength == 0 ? payload : metadata)));
        return job;
    }

    private long send(Context context, long value) {
        word.putLong(0, value);
        return context.sendImmediate(1, ID, word, 0, Long.BYTES);
    }

    /** Sends one message in a pass of its own, after which the next lone SEND is direct. */
    private void sendAlone(InProcessJob job) {
        send(job.context(0), 0);
        job.settle();
        received.clear();
    }

    private static ReceptionCounter counter(InProcessJob job, Window there) {
        return job.node(1).client().receptionCounter(there, 0, 64, ReceptionCounter.ANYBODY, Right.PUT, Right.ATOMIC);
    }

    private static Target attach(InProcessJob job, ReceptionCounter counter) {
        job.node(1).client().publish("in", counter);
        return job.context(0).attach(1, "in", InProcessJob.deadline());
    }

    @Test
    void shouldDeliverALoneMessageBeforeTheNextPassOfItsSender() {
        try (InProcessJob job = join()) {
            sendAlone(job);

            final long position = send(job.context(0), 7);
            job.context(1).advance();

            assertThat(received).containsExactly(7L);
            assertThat(job.context(0).isCarriedOut(position)).isFalse();
            assertThat(job.context(0).isDrained()).isFalse();
            job.context(0).advance();
            assertThat(job.context(0).isCarriedOut(position)).isTrue();
            assertThat(job.context(0).isDrained()).isTrue();
        }
    }

    @Test
    void shouldChangeAWordAtTheCallOfALoneRmwAndCountItOnce() {
        try (InProcessJob job = join()) {
            final Window there = job.node(1).client().window(64);
            final Target in = attach(job, counter(job, there));
            final Client client = job.node(0).client();
            final Window here = client.window(64);
            final InjectionCounter done = client.injectionCounter();
            final Rmw add = new Rmw().fetchAdd(5).result(here, 8).completes(done);
            there.putLong(16, 37);
            sendAlone(job);
            final Metrics metrics = job.node(0).metrics();
            final long descriptors = metrics.descriptors();
            final long records = metrics.records();
            final long bytes = metrics.bytes();

            done.expect(Long.BYTES);
            final long position = job.context(0).rmw(in, 16, add);

            assertThat(there.getLong(16)).isEqualTo(42);
            assertThat(here.getLong(8)).isEqualTo(37);
            assertThat(done.valueAcquire()).isZero();
            assertThat(job.context(0).isCarriedOut(position)).isFalse();
            assertThat(job.context(0).advance()).isEqualTo(1);
            assertThat(job.context(0).isCarriedOut(position)).isTrue();
            assertThat(job.context(0).advance()).isZero();
            assertThat(there.getLong(16)).isEqualTo(42);
            assertThat(metrics.descriptors() - descriptors).isEqualTo(1);
            assertThat(metrics.records() - records).isZero();
            assertThat(metrics.bytes() - bytes).isEqualTo(Long.BYTES);
        }
    }

    @Test
    void shouldReportTheRefusalOfALoneRmwOnce() {
        try (InProcessJob job = join()) {
            final Window there = job.node(1).client().window(64);
            final ReceptionCounter counter = counter(job, there);
            final Target in = attach(job, counter);
            final Closing closing = job.node(1).client().close(counter);
            while (!closing.isDone()) {
                job.settle();
            }
            sendAlone(job);

            job.context(0).rmw(in, 16, new Rmw().fetchAdd(5));
            assertThat(refusals(job)).isZero();
            job.settle();

            assertThat(refusals(job)).isEqualTo(1);
            assertThat(there.getLong(16)).isZero();
        }
    }

    private static long refusals(InProcessJob job) {
        long sum = 0;
        for (final Refusal refusal : Refusal.values()) {
            sum += job.node(0).metrics().refusals(refusal);
        }
        return sum;
    }

    @Test
    void shouldCountDirectWorkOnce() {
        try (InProcessJob job = join()) {
            sendAlone(job);
            final Metrics metrics = job.node(0).metrics();
            final long descriptors = metrics.descriptors();
            final long records = metrics.records();
            final long bytes = metrics.bytes();

            send(job.context(0), 7);
            assertThat(job.context(0).advance()).isEqualTo(1);
            assertThat(job.context(0).advance()).isZero();

            assertThat(metrics.descriptors() - descriptors).isEqualTo(1);
            assertThat(metrics.records() - records).isEqualTo(1);
            assertThat(metrics.bytes() - bytes).isEqualTo(Long.BYTES);
        }
    }

    @Test
    void shouldExecuteNothingDirectlyWhileSomethingPrecedesIt() {
        try (InProcessJob job = join()) {
            sendAlone(job);

            send(job.context(0), 1);
            send(job.context(0), 2);
            job.context(1).advance();
            assertThat(received).containsExactly(1L);

            job.context(0).advance();
            send(job.context(0), 3);
            job.context(1).advance();
            assertThat(received).as("after a pass with two").containsExactly(1L, 2L);
            job.settle();
            assertThat(received).containsExactly(1L, 2L, 3L);
        }
    }

    @Test
    void shouldExecuteNothingDirectlyAtRest() {
        try (InProcessJob job = join()) {
            sendAlone(job);
            final Window closed = job.node(0).client().window(64);
            // The engine rests after this wait.
            job.node(0).client().await(job.node(0).client().close(closed), job.context(0), InProcessJob.deadline());

            send(job.context(0), 7);
            job.context(1).advance();

            assertThat(received).isEmpty();
            job.settle();
            assertThat(received).containsExactly(7L);
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"DEDICATED", "SHARED"})
    void shouldLeaveDescriptorsToAnEngineWithAThread(String mode) {
        try (InProcessJob job = InProcessJob.join(parent, 2, SmallNodes.config(Threading.valueOf(mode), 2))) {
            job.context(1)
                    .handler(
                            ID,
                            (origin, buffer, metadata, metadataLength, payload, length) ->
                                    received.add(buffer.getLong(payload)));
            for (long value = 0; value < 100; value++) {
                final long position = send(job.context(0), value);
                job.context(0).await(() -> job.context(0).isCarriedOut(position), InProcessJob.deadline());
            }
            while (received.size() < 100) {
                job.context(1).advance();
            }
            assertThat(received).isSorted().doesNotHaveDuplicates();
        }
    }

    @Test
    void shouldReportARefusalOnce() {
        final NodeConfig config = SmallNodes.config(Threading.INVOKER, 2)
                .withContexts(2)
                .withFifos(4)
                .withThreadLevel(ThreadLevel.SERIALIZED)
                .withLaneBudgetBytes(1 << 20);
        try (InProcessJob job = InProcessJob.join(parent, 2, config)) {
            final Client alpha = job.node(1)
                    .openClient(ClientConfig.named("alpha").withContexts(1).withCounters(4, 4));
            final long endpoint = alpha.context().endpoint();
            final Closing closing = alpha.close();
            while (!closing.isDone()) {
                job.settle();
            }
            sendAlone(job);

            final long position = job.context(0).sendImmediate(endpoint, ID, word, 0, Long.BYTES);
            job.settle();

            assertThat(job.context(0).isCarriedOut(position)).isTrue();
            assertThat(job.node(0).metrics().refusals(Refusal.STALE_CONTEXT)).isEqualTo(1);
        }
    }

    @ParameterizedTest
    @ValueSource(longs = {1, 2, 3, 4})
    void shouldKeepTheOrderOfItsFifoWhateverIsDirect(long seed) {
        try (InProcessJob job = join()) {
            final Window there = job.node(1).client().window(64);
            final ReceptionCounter counter = counter(job, there);
            final Target in = attach(job, counter);
            final Window here = job.node(0).client().window(1 << 12);
            final SplittableRandom random = new SplittableRandom(seed);
            final Message message = new Message();
            final List<Long> sent = new ArrayList<>();
            final Rmw add = new Rmw().fetchAdd(1);
            long puts = 0;
            long adds = 0;
            for (long step = 1; step < 20_000; step++) {
                final boolean isPut = random.nextInt(3) == 0;
                final int slot = (int) (step % 64) * 64;
                here.putLong(slot, step);
                final boolean isWindow = random.nextBoolean();
                final long status = isPut
                        ? job.context(0).put(in, 0, here, slot, Long.BYTES)
                        : isWindow
                                ? job.context(0).send(message.to(1, ID).payload(here, slot, 16))
                                : send(job.context(0), step);
                if (status >= 0 && isPut) {
                    puts++;
                } else if (status >= 0) {
                    sent.add(step);
                }
                if (random.nextInt(4) == 0 && job.context(0).rmw(in, 32, add) >= 0) {
                    adds++;
                }
                while (random.nextInt(3) != 0) {
                    job.context(random.nextInt(2)).advance();
                }
                // A message is behind every PUT that was injected before it.
                assertThat(received.size()).isLessThanOrEqualTo(sent.size());
            }
            job.settle();
            assertThat(received).as("seed %d", seed).isEqualTo(sent);
            assertThat(counter.valueAcquire()).isEqualTo(-Long.BYTES * puts);
            assertThat(there.getLong(32)).isEqualTo(adds).isGreaterThan(1000);
            assertThat(sent).hasSizeGreaterThan(1000);
        }
    }
}
