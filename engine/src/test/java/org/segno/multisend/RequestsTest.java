package org.segno.multisend;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatNullPointerException;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.sun.management.ThreadMXBean;
import java.lang.management.ManagementFactory;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.agrona.concurrent.UnsafeBuffer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.segno.context.Client;
import org.segno.context.Context;
import org.segno.memory.InjectionCounter;
import org.segno.memory.ReceptionCounter;
import org.segno.memory.Target;
import org.segno.memory.Window;
import org.segno.node.InProcessJob;
import org.segno.node.NodeConfig;
import org.segno.node.NodeConfig.Threading;
import org.segno.operation.Message;
import org.segno.pattern.Pattern;
import org.segno.pattern.Rounds;
import org.segno.status.RefusedException;
import org.segno.status.Status;

/** Persistent requests: sends, receives by handler, puts and multisends, started alone and together. */
@Timeout(120)
class RequestsTest {
    private static final int DISPATCH = 9;
    private static final int ROUNDS = 100;

    @TempDir
    Path directory;

    private InProcessJob job;
    private Context context;
    private Context second;
    private Window window;
    private Window far;
    private ReceptionCounter there;
    private Target target;
    private InjectionCounter read;
    private final List<Long> received = new ArrayList<>();

    private static NodeConfig config() {
        return NodeConfig.defaults()
                .withThreading(Threading.INVOKER)
                .withContexts(2)
                .withRunSlots(2)
                .withWindowBytes(1 << 14);
    }

    @BeforeEach
    void join() {
        job = InProcessJob.join(directory, 2, config());
        context = job.context(0);
        second = job.node(0).client().context(1);
        window = job.node(0).client().window(1024);
        far = job.node(1).client().window(1024);
        there = job.node(1).client().receptionCounter(far, 0, 64);
        job.node(1).client().publish("there", there);
        target = context.attach(1, "there", InProcessJob.deadline());
        read = job.node(0).client().injectionCounter();
        job.context(1).handler(DISPATCH, (from, buffer, m, ml, p, pl) -> received.add(buffer.getLong(p)));
    }

    @AfterEach
    void close() {
        job.close();
    }

    private Request send(Requests requests) {
        final Message message = new Message().to(1, DISPATCH).payload(window, 0, 8);
        return requests.init(() -> context.send(message));
    }

    private Request put(Requests requests) {
        return requests.init(() -> {
            context.expect(read, 16);
            context.put(target, 8, window, 8, 16, read);
        });
    }

    private Request multisend(Requests requests) {
        final Message message =
                new Message().to(1, DISPATCH).metadata(window, 32, 8).payload(window, 40, 8);
        final long[] endpoints = {job.context(1).endpoint(), job.context(1).endpoint()};
        return requests.init(() -> context.multicast(message, endpoints, 0, 2));
    }

    private long replays() {
        return job.node(0).metrics().replays();
    }

    @Test
    void shouldStartEachAlone() {
        try (Requests requests = new Requests(context)) {
            final Request send = send(requests);
            final Request put = put(requests);
            final Request multisend = multisend(requests);
            for (final Request request : List.of(send, put, multisend)) {
                assertThat(request.test()).as("never started").isTrue();
            }
            job.settle();
            assertThat(received).as("nothing is sent by creating").isEmpty();
            for (long round = 1; round <= ROUNDS; round++) {
                window.buffer().putLong(0, round);
                window.buffer().putLong(8, -round);
                window.buffer().putLong(40, 2 * round);
                assertThat(send.start()).isEqualTo(round);
                assertThat(send.start()).isEqualTo(Status.BUSY);
                assertThat(send.test()).isFalse();
                job.settle();
                assertThat(send.test()).isTrue();
                assertThat(received).containsExactly(round);
                assertThat(put.start()).isEqualTo(round);
                job.settle();
                assertThat(put.test()).isTrue();
                assertThat(far.buffer().getLong(8)).isEqualTo(-round);
                assertThat(multisend.start()).isEqualTo(round);
                job.settle();
                assertThat(multisend.test()).isTrue();
                assertThat(received).containsExactly(round, 2 * round, 2 * round);
                received.clear();
            }
            assertThat(replays()).isEqualTo(3 * ROUNDS);
        }
    }

    @Test
    void shouldStartAllByOneRun() {
        try (Requests requests = new Requests(context)) {
            final List<Request> all = List.of(send(requests), put(requests), multisend(requests));
            for (long round = 1; round <= ROUNDS; round++) {
                window.buffer().putLong(0, round);
                window.buffer().putLong(8, -round);
                window.buffer().putLong(40, 2 * round);
                assertThat(requests.startAll()).isEqualTo(round);
                assertThat(requests.startAll()).isEqualTo(Status.BUSY);
                assertThat(all.get(0).start()).isEqualTo(Status.BUSY);
                assertThat(replays()).isEqualTo(round);
                job.settle();
                assertThat(all).allMatch(Request::test);
                assertThat(received).containsExactly(round, 2 * round, 2 * round);
                assertThat(far.buffer().getLong(8)).isEqualTo(-round);
                received.clear();
            }
        }
        assertThat(context.isDrained()).isTrue();
    }

    @Test
    @Tag("long")
    void shouldMixBothAndFollowTheSetOfRequests() {
        final int free = freePatterns();
        final Requests requests = new Requests(context);
        final Request send = send(requests);
        assertThat(send.start()).isEqualTo(1);
        assertThat(requests.startAll()).isEqualTo(Status.BUSY);
        job.settle();
        assertThat(requests.startAll()).isEqualTo(1);
        final Request put = put(requests);
        job.settle();
        assertThat(send.test()).isTrue();
        assertThat(requests.startAll()).isEqualTo(2);
        job.settle();
        assertThat(put.test()).isTrue();
        assertThat(received).hasSize(3);
        assertThat(there.valueAcquire()).isEqualTo(-16);
        assertThat(send.start()).isEqualTo(4);
        send.free();
        send.free();
        assertThatThrownBy(send::start).hasMessageContaining("was freed");
        job.settle();
        assertThat(received).as("a start in progress is completed").hasSize(4);
        assertThat(send.test()).isTrue();
        assertThat(requests.startAll()).isEqualTo(3);
        job.settle();
        assertThat(received).hasSize(4);
        assertThat(there.valueAcquire()).isEqualTo(-32);
        requests.close();
        requests.close();
        assertThatThrownBy(requests::startAll)
                .isInstanceOf(IllegalStateException.class)
                .hasMessageContaining("closed");
        assertThatThrownBy(requests::receive).isInstanceOf(IllegalStateException.class);
        assertThat(freePatterns()).isEqualTo(free);
    }

    /** Returns the number of patterns that can still be prepared; closes them again. */
    private int freePatterns() {
        final List<Pattern> all = new ArrayList<>();
        boolean full = false;
        while (!full) {
            try {
                all.add(context.prepare(Rounds.ALTERNATE, () -> context.copy(window, 0, window, 512, 8)));
            } catch (IllegalStateException e) {
                full = true;
            }
        }
        all.forEach(Pattern::close);
        return all.size();
    }

    @Test
    void shouldCompleteReceivesByTheirHandlers() {
        final Client client = job.node(1).client();
        try (Requests requests = new Requests(client.context())) {
            final Request one = requests.receive();
            final Request other = requests.receive();
            client.context()
                    .handler(
                            DISPATCH,
                            (from, buffer, m, ml, p, pl) -> (buffer.getLong(p) == 1 ? one : other).received());
            assertThat(one.test()).isTrue();
            assertThat(requests.startAll()).isEqualTo(1);
            assertThat(one.test()).isFalse();
            assertThat(one.start()).isEqualTo(Status.BUSY);
            sendNumber(1);
            assertThat(one.test()).isTrue();
            assertThat(other.test()).isFalse();
            assertThat(requests.startAll()).isEqualTo(Status.BUSY);
            sendNumber(2);
            assertThat(other.test()).isTrue();
            // A message may arrive before its start.
            sendNumber(1);
            assertThat(one.start()).isEqualTo(2);
            assertThat(one.test()).isTrue();
            final Request put = requests.init(() -> {});
            assertThatThrownBy(put::received).hasMessageContaining("Requests.receive");
        }
    }

    private void sendNumber(long number) {
        final UnsafeBuffer bytes = new UnsafeBuffer(new byte[8]);
        bytes.putLong(0, number);
        context.sendImmediate(1, DISPATCH, bytes, 0, 8);
        job.settle();
    }

    @Test
    void shouldStartInSeveralContexts() {
        try (Requests requests = new Requests(context, second)) {
            final Request one = requests.init(() -> context.copy(window, 0, window, 512, 8));
            final Request other = requests.init(() -> second.copy(window, 0, window, 520, 8));
            for (long round = 1; round <= ROUNDS; round++) {
                window.buffer().putLong(0, round);
                assertThat(requests.startAll()).isEqualTo(round);
                while (!one.test() || !other.test()) {
                    context.advance();
                    second.advance();
                }
                assertThat(window.buffer().getLong(512)).isEqualTo(round);
                assertThat(window.buffer().getLong(520)).isEqualTo(round);
            }
        }
        assertThatThrownBy(() -> new Requests()).isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> new Requests(context, context)).hasMessageContaining("each context once");
    }

    @Test
    void shouldBeBackPressuredWhileTheRunRingIsFull() {
        try (Requests requests = new Requests(context)) {
            final Request send = send(requests);
            final List<Pattern> others = new ArrayList<>();
            for (int i = 0; i < 2; i++) {
                others.add(context.prepare(Rounds.ALTERNATE, () -> context.copy(window, 0, window, 512, 8)));
                assertThat(context.replay(others.get(i))).isEqualTo(1);
            }
            assertThat(send.start()).isEqualTo(Status.BACK_PRESSURED);
            assertThat(requests.startAll()).isEqualTo(Status.BACK_PRESSURED);
            assertThat(send.test()).isTrue();
            job.settle();
            assertThat(requests.startAll()).isEqualTo(1);
            job.settle();
            assertThat(received).hasSize(1);
        }
    }

    @Test
    void shouldReportARefusedStart() {
        try (Requests requests = new Requests(context)) {
            final Request put = put(requests);
            job.node(1).client().close(there);
            assertThat(put.start()).isEqualTo(1);
            job.settle();
            assertThatThrownBy(put::test).isInstanceOf(RefusedException.class).hasMessageContaining("is stale");
            assertThatThrownBy(put::start).isInstanceOf(RefusedException.class);
        }
    }

    @Test
    void shouldNameTheRequestsOfAFailedStart() {
        try (Requests requests = new Requests(context)) {
            final Request receive = requests.receive();
            final Request put = put(requests);
            final Request send = send(requests);
            assertThat(receive).hasToString("request 0, receive");
            assertThat(put).hasToString("request 1, operations");
            assertThatThrownBy(put::received).hasMessageContaining("create request 1, operations");
            job.node(1).client().close(there);
            assertThat(requests.startAll()).isEqualTo(1);
            job.settle();
            for (final Request each : List.of(put, send)) {
                assertThatThrownBy(each::test)
                        .isInstanceOf(RefusedException.class)
                        .hasMessageContaining("generation 1 (joint start of requests 1, 2, operations; a failure is"
                                + " that of one of them) is stale: rank 1 refused a round of it");
            }
            send.free();
            // Only one is left, to which the failure belongs.
            final Requests others = new Requests(context);
            others.receive();
            final Request alone = put(others);
            assertThat(others.startAll()).isEqualTo(1);
            job.settle();
            assertThatThrownBy(alone::test).hasMessageContaining("(start of request 1, operations) is stale");
            alone.free();
            assertThatThrownBy(alone::start).hasMessage("request 1, operations was freed: create another one");
            others.close();
        }
        try (Requests many = new Requests(context)) {
            Request last = put(many);
            for (int i = 1; i < 20; i++) {
                last = put(many);
            }
            assertThat(many.startAll()).isEqualTo(1);
            job.settle();
            assertThatThrownBy(last::test)
                    .hasMessageContaining("requests 0, 1, ")
                    .hasMessageContaining(", 15 and 4 others");
        }
    }

    @Test
    void shouldNameTheRequestWhoseCounterHasAnUnderflow() {
        final ReceptionCounter inbox = job.node(0).client().receptionCounter(window, 512, 64);
        inbox.forbidUnderflow();
        job.node(0).client().publish("inbox", inbox);
        final Target back = job.context(1).attach(0, "inbox", InProcessJob.deadline());
        try (Requests requests = new Requests(context)) {
            send(requests);
            final Request expecting = requests.init(() -> context.expect(inbox, 8));
            assertThat(expecting.start()).isEqualTo(1);
            job.settle();
            job.context(1).put(back, 0, far, 512, 16);
            job.settle();
            assertThatThrownBy(expecting::test)
                    .isInstanceOf(RefusedException.class)
                    .hasMessageContaining("a message of rank 1")
                    .hasMessageContaining("(start of request 1, operations)");
        }
    }

    @Test
    void shouldBeRefusedInAHandler() {
        try (Requests requests = new Requests(job.context(1))) {
            final Request request = requests.init(() -> job.context(1).copy(far, 0, far, 512, 8));
            final List<String> refused = new ArrayList<>();
            job.context(1).handler(DISPATCH, (from, buffer, m, ml, p, pl) -> {
                assertThatThrownBy(request::start).isInstanceOf(IllegalStateException.class);
                assertThatThrownBy(requests::startAll).isInstanceOf(IllegalStateException.class);
                refused.add("refused");
            });
            sendNumber(1);
            assertThat(refused).hasSize(1);
            assertThat(request.start()).isEqualTo(1);
            job.settle();
            assertThat(request.test()).isTrue();
        }
    }

    @Test
    void shouldAllocateNothingToStartAndToTest() {
        final ThreadMXBean threads = (ThreadMXBean) ManagementFactory.getThreadMXBean();
        try (Requests requests = new Requests(context)) {
            final Request send = requests.init(() -> context.copy(window, 0, window, 512, 8));
            put(requests);
            final Request receive = requests.receive();
            long least = Long.MAX_VALUE;
            for (int attempt = 0; attempt < 6 && least != 0; attempt++) {
                final long before = threads.getCurrentThreadAllocatedBytes();
                for (int i = 0; i < 20_000; i++) {
                    requests.startAll();
                    receive.received();
                    while (!send.test() || !receive.test()) {
                        context.advance();
                    }
                    send.start();
                    while (!send.test()) {
                        context.advance();
                    }
                }
                least = Math.min(least, threads.getCurrentThreadAllocatedBytes() - before);
            }
            assertThat(least).isZero();
        }
    }

    @Test
    @SuppressWarnings("NullAway")
    void shouldRefuseARequestOfNoOperations() {
        final Requests requests = new Requests(context);
        assertThatNullPointerException().isThrownBy(() -> requests.init(null)).withMessage("operations");
    }
}
