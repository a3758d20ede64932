package org.segno.message;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatNullPointerException;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.segno.context.Client;
import org.segno.context.Context;
import org.segno.engine.memory.PeerStates;
import org.segno.memory.InjectionCounter;
import org.segno.memory.ReceptionCounter;
import org.segno.memory.Right;
import org.segno.memory.Target;
import org.segno.memory.Window;
import org.segno.node.InProcessJob;
import org.segno.node.NodeConfig;
import org.segno.node.NodeConfig.Threading;
import org.segno.operation.Message;
import org.segno.operation.Rmw;
import org.segno.pattern.Rounds;
import org.segno.status.Deadline;
import org.segno.status.PeerFailedException;
import org.segno.status.RefusedException;
import org.segno.status.SegnoException;
import org.segno.status.Status;

/** Completions of puts, gets, atomic changes and multicasts through a messenger. */
@Timeout(60)
class OneSidedCompletionTest {
    private static final int ID = 9;
    private static final int COUNTERS = 24;

    private final List<String> ends = new ArrayList<>();
    private final List<SegnoException> failures = new ArrayList<>();

    @TempDir
    Path parent;

    private InProcessJob join(Threading threading) {
        return join(threading, COUNTERS);
    }

    private InProcessJob join(Threading threading, int injectionCounters) {
        return InProcessJob.join(
                parent,
                2,
                NodeConfig.defaults()
                        .withThreading(threading)
                        .withFifoSlots(64)
                        .withPatterns(16)
                        .withCounters(injectionCounters, 16)
                        .withWindowBytes(1 << 16));
    }

    private Completion noting(String end) {
        return failure -> {
            ends.add(end);
            if (failure != null) {
                failures.add(failure);
            }
        };
    }

    private Completions both(String name) {
        return new Completions().local(noting(name + " local")).remote(noting(name + " remote"));
    }

    private static Target target(InProcessJob job, Window window, Right... rights) {
        final Client client = job.node(1).client();
        final ReceptionCounter counter = client.receptionCounter(window, 0, 256, ReceptionCounter.ANYBODY, rights);
        client.publish("target", counter);
        return job.context(0).attach(1, "target", InProcessJob.deadline());
    }

    private void awaitEnds(InProcessJob job, int count) {
        final long deadlineNs = InProcessJob.deadline();
        while (ends.size() < count && !Deadline.reached(deadlineNs)) {
            job.context(0).advance();
            job.context(1).advance();
        }
        assertThat(ends).hasSize(count);
    }

    @ParameterizedTest
    @EnumSource(Threading.class)
    void shouldCompleteEachCallOnceInTheirOrderWithinAdvance(Threading threading) {
        try (InProcessJob job = join(threading)) {
            final Messenger messenger = Messenger.open(job.node(0).client(), job.context(0));
            final Window source = job.node(0).client().window(1024);
            final Window there = job.node(1).client().window(256);
            final Target target = target(job, there, Right.PUT, Right.GET, Right.ATOMIC);
            final List<Long> received = new ArrayList<>();
            job.context(1).handler(ID, (from, buffer, m, ml, p, pl) -> received.add(buffer.getLong(p)));
            source.buffer().putLong(0, 40);

            assertThat(messenger.put(target, 8, source, 0, 8, both("put"))).isNotNegative();
            assertThat(messenger.rmw(target, 8, new Rmw().fetchAdd(2).result(source, 64), both("rmw")))
                    .isNotNegative();
            assertThat(messenger.get(target, 8, source, 128, 8, both("get"))).isNotNegative();
            final Message message =
                    new Message().to(1, ID).metadata(source, 0, 0).payload(source, 0, 8);
            final long[] twice = {job.context(1).endpoint(), job.context(1).endpoint()};
            assertThat(messenger.multicast(message, twice, 0, 2, both("multicast")))
                    .isNotNegative();
            assertThat(messenger.put(target, 0, source, 0, 0, both("empty"))).isNotNegative();
            assertThat(ends).as("only advance runs completions").isEmpty();
            awaitEnds(job, 10);

            assertThat(ends)
                    .containsExactly(
                            "put local",
                            "put remote",
                            "rmw local",
                            "rmw remote",
                            "get local",
                            "get remote",
                            "multicast local",
                            "multicast remote",
                            "empty local",
                            "empty remote");
            assertThat(failures).isEmpty();
            assertThat(there.buffer().getLong(8)).isEqualTo(42);
            assertThat(source.buffer().getLong(64)).isEqualTo(40);
            assertThat(source.buffer().getLong(128)).isEqualTo(42);
            job.context(1).advance();
            assertThat(received).containsExactly(40L, 40L);
        }
    }

    @ParameterizedTest
    @EnumSource(Threading.class)
    void shouldDeliverARefusalToItsOwnCallAlone(Threading threading) {
        try (InProcessJob job = join(threading)) {
            final Messenger messenger = Messenger.open(job.node(0).client(), job.context(0));
            final Window source = job.node(0).client().window(1024);
            final Target target = target(job, job.node(1).client().window(256), Right.PUT);

            messenger.put(target, 0, source, 0, 8, new Completions().remote(noting("put")));
            messenger.get(target, 0, source, 0, 8, new Completions().local(noting("get")));
            messenger.rmw(target, 0, new Rmw().swap(1), new Completions().local(noting("rmw")));
            messenger.put(target, 0, source, 0, 8, new Completions().remote(noting("another put")));
            awaitEnds(job, 4);

            assertThat(ends).containsExactly("put", "get", "rmw", "another put");
            assertThat(failures)
                    .hasSize(2)
                    .allSatisfy(failure -> assertThat(failure)
                            .isInstanceOf(RefusedException.class)
                            .hasMessageContaining("rank 1 refused"));
        }
    }

    @ParameterizedTest
    @EnumSource(Threading.class)
    void shouldDeliverTheDeathOfTheOtherRank(Threading threading) {
        try (InProcessJob job = join(threading)) {
            final Messenger messenger = Messenger.open(job.node(0).client(), job.context(0));
            final Window source = job.node(0).client().window(1024);
            final Target target = target(job, job.node(1).client().window(256), Right.PUT, Right.GET);
            new PeerStates(job.node(0).memory()).change(1, PeerStates.DEAD);

            messenger.put(target, 0, source, 0, 8, both("put"));
            messenger.get(target, 0, source, 0, 8, both("get"));
            awaitEnds(job, 4);

            assertThat(ends).containsExactly("put local", "put remote", "get local", "get remote");
            assertThat(failures).hasSize(4).allSatisfy(failure -> {
                assertThat(failure).isInstanceOf(PeerFailedException.class).hasMessageContaining("rank 1 has died");
                assertThat(((PeerFailedException) failure).rank()).isEqualTo(1);
            });
        }
    }

    @Test
    void shouldCompleteACallWithoutBytesOnceItIsCarriedOut() {
        try (InProcessJob job = join(Threading.INVOKER)) {
            final Messenger messenger = Messenger.open(job.node(0).client(), job.context(0));
            final Window source = job.node(0).client().window(1024);
            final Target target = target(job, job.node(1).client().window(256));
            messenger.put(target, 0, source, 0, 0, both("put"));

            // The first pass runs posted work before the engine.
            job.context(0).advance();
            assertThat(ends).isEmpty();
            job.context(0).advance();
            assertThat(ends).containsExactly("put local", "put remote");
        }
    }

    @Test
    void shouldKeepAFailureAwayFromLaterCalls() {
        try (InProcessJob job = join(Threading.INVOKER, 10)) {
            final Messenger messenger = Messenger.open(job.node(0).client(), job.context(0));
            final Window source = job.node(0).client().window(1024);
            final Target target = target(job, job.node(1).client().window(256), Right.PUT);
            // More failures than counters: each is closed, and another one is opened.
            for (int round = 1; round <= 10; round++) {
                messenger.get(target, 0, source, 0, 8, new Completions().local(noting("get")));
                awaitEnds(job, 2 * round - 1);
                messenger.put(target, 0, source, 0, 8, new Completions().local(noting("put")));
                awaitEnds(job, 2 * round);
            }

            assertThat(failures).hasSize(10);
        }
    }

    @Test
    void shouldHoldCallsBackWhileAllCountersAreInUse() {
        try (InProcessJob job = join(Threading.INVOKER, 11)) {
            final Messenger messenger = Messenger.open(job.node(0).client(), job.context(0));
            final Window source = job.node(0).client().window(1024);
            final Target target = target(job, job.node(1).client().window(256));

            // A messenger keeps eight of the counters.
            for (int call = 0; call < 3; call++) {
                assertThat(messenger.put(target, 0, source, 0, 8, both("put"))).isNotNegative();
            }
            assertThat(messenger.put(target, 0, source, 0, 8, both("late"))).isEqualTo(Status.BACK_PRESSURED);
            assertThat(messenger.put(target, 0, source, 0, 8, both("late"))).isEqualTo(Status.BACK_PRESSURED);
            awaitEnds(job, 6);
            assertThat(messenger.put(target, 0, source, 0, 8, both("late"))).isNotNegative();
            awaitEnds(job, 8);
        }
    }

    @Test
    void shouldHoldCallsBackWhileTheMostAreInProgress() {
        try (InProcessJob job = join(Threading.INVOKER, 256)) {
            final Messenger messenger = Messenger.open(job.node(0).client(), job.context(0));
            final Window source = job.node(0).client().window(1024);
            final Target target = target(job, job.node(1).client().window(256));
            int begun = 0;
            while (messenger.put(target, 0, source, 0, 8, both("put")) >= 0) {
                begun++;
            }

            assertThat(begun).isEqualTo(OneSidedCalls.CAPACITY);
            awaitEnds(job, 2 * begun);
            // The counters are used again: these are more calls than counters.
            for (int round = 0; round < 8; round++) {
                ends.clear();
                for (int call = 0; call < OneSidedCalls.CAPACITY; call++) {
                    assertThat(messenger.put(target, 0, source, 0, 8, both("put")))
                            .isNotNegative();
                }
                awaitEnds(job, 2 * OneSidedCalls.CAPACITY);
            }
            assertThat(failures).isEmpty();
        }
    }

    @Test
    void shouldNameTheSettingWhenTheClientHasNoCounter() {
        try (InProcessJob job = join(Threading.INVOKER, 8)) {
            final Messenger messenger = Messenger.open(job.node(0).client(), job.context(0));
            final Window source = job.node(0).client().window(1024);
            final Target target = target(job, job.node(1).client().window(256));

            assertThatThrownBy(() -> messenger.put(target, 0, source, 0, 8, both("put")))
                    .isInstanceOf(IllegalStateException.class)
                    .hasMessageContaining("injection counters are in use");
        }
    }

    @Test
    void shouldRefuseWrongCallsAndKeepItsCounters() {
        try (InProcessJob job = join(Threading.INVOKER, 9)) {
            final Context context = job.context(0);
            final Messenger messenger = Messenger.open(job.node(0).client(), context);
            final Window source = job.node(0).client().window(1024);
            final Target target = target(job, job.node(1).client().window(256));

            for (int call = 0; call < 3; call++) {
                assertThatThrownBy(() -> messenger.put(target, 0, source, 1024, 8, both("put")))
                        .isInstanceOf(IllegalArgumentException.class);
                assertThatThrownBy(() -> messenger.get(target, 0, source, 0, -8, both("get")))
                        .isInstanceOf(IllegalArgumentException.class);
                assertThatThrownBy(() -> messenger.rmw(target, 256, new Rmw(), both("rmw")))
                        .isInstanceOf(IllegalArgumentException.class);
                assertThatThrownBy(() -> messenger.multicast(new Message(), new long[0], 0, 1, both("multicast")))
                        .isInstanceOf(IllegalArgumentException.class);
                assertThatThrownBy(() -> context.prepare(
                                Rounds.ORDERED_BY_CALLER, () -> messenger.put(target, 0, source, 0, 8, both("put"))))
                        .isInstanceOf(IllegalStateException.class)
                        .hasMessageContaining("cannot be replayed");
            }
            messenger.put(target, 0, source, 0, 8, both("put"));
            awaitEnds(job, 2);
        }
    }

    @Test
    void shouldRefuseACounterOfTheCaller() {
        try (InProcessJob job = join(Threading.INVOKER)) {
            final Messenger messenger = Messenger.open(job.node(0).client(), job.context(0));
            final InjectionCounter own = job.node(0).client().injectionCounter();
            final Target target = target(job, job.node(1).client().window(256), Right.ATOMIC);

            assertThatThrownBy(() -> messenger.rmw(target, 0, new Rmw().completes(own), both("rmw")))
                    .isInstanceOf(IllegalArgumentException.class)
                    .hasMessageContaining("has a counter of its own: remove injection counter");
        }
    }

    @Test
    void shouldRunTheOthersWhenACompletionThrows() {
        try (InProcessJob job = join(Threading.INVOKER)) {
            final Messenger messenger = Messenger.open(job.node(0).client(), job.context(0));
            final Window source = job.node(0).client().window(1024);
            final Target target = target(job, job.node(1).client().window(256));
            messenger.put(
                    target,
                    0,
                    source,
                    0,
                    8,
                    new Completions()
                            .local(failure -> {
                                throw new IllegalArgumentException("mine");
                            })
                            .remote(noting("remote")));
            messenger.put(target, 0, source, 0, 8, both("next"));

            // The first pass runs the engine, the second one the completions.
            job.context(0).advance();
            assertThatThrownBy(() -> job.context(0).advance())
                    .isInstanceOf(IllegalArgumentException.class)
                    .hasMessage("mine");
            awaitEnds(job, 3);
            assertThat(ends).containsExactly("remote", "next local", "next remote");
        }
    }

    @Test
    @SuppressWarnings("NullAway")
    void shouldInjectNothingWithoutCompletions() {
        try (InProcessJob job = join(Threading.INVOKER)) {
            final Messenger messenger = Messenger.open(job.node(0).client(), job.context(0));
            final Window source = job.node(0).client().window(1024);
            final Window there = job.node(1).client().window(256);
            final Target target = target(job, there, Right.PUT);
            source.buffer().putLong(0, 40);

            assertThatNullPointerException()
                    .isThrownBy(() -> messenger.put(target, 0, source, 0, 8, null))
                    .withMessage("ends");
            job.settle();
            assertThat(there.buffer().getLong(0)).isZero();
        }
    }
}
