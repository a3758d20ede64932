package org.segno.collective;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.segno.node.InProcessJob.deadline;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.segno.combine.ElementType;
import org.segno.context.Client;
import org.segno.context.Context;
import org.segno.context.ContextAccess;
import org.segno.memory.MemoryAccess;
import org.segno.memory.ReceptionCounter;
import org.segno.memory.Window;
import org.segno.node.InProcessJob;
import org.segno.node.NodeConfig;
import org.segno.node.OverMemoryAndLinks;
import org.segno.status.Deadline;
import org.segno.status.DeadlineException;
import org.segno.status.RefusedException;
import org.segno.status.SegnoException;
import org.segno.status.Status;

/** A round that fails at one member: the others need not wait for their deadlines. */
@OverMemoryAndLinks
@Timeout(120)
class FailedRoundsTest {
    private static final int MEMBERS = 3;
    private static final int FAILING = 1;
    private static final Call SUM = Call.allreduce(Long.BYTES, Reduction.of(ElementType.LONG, FailingOperator.NUMBER))
            .by("slots");
    private static final String FAILURE =
            "member 1 \\(rank 1\\) has failed: the user operator has thrown an exception, which the error log of the"
                    + " node has; in allreduce of 8 bytes, .* by slots of geometry all of 3 members, round [23]";

    @TempDir
    Path directory;

    /** A way to learn that a round has ended. */
    private enum Wait {
        AWAIT {
            @Override
            void until(Collective sum, Context context) {
                sum.await(deadline());
            }
        },
        TEST {
            @Override
            void until(Collective sum, Context context) {
                while (!sum.test()) {
                    WorldMember.yieldCore();
                }
            }
        },
        RUN {
            @Override
            void until(Collective sum, Context context) {
                sum.run(deadline());
            }
        },
        HANDLER {
            @Override
            void until(Collective sum, Context context) {
                while (true) {
                    context.advance();
                    WorldMember.yieldCore();
                }
            }
        };

        abstract void until(Collective sum, Context context);
    }

    /** Runs a test at the members of a geometry, in ranks of two contexts each; the operator fails at one of them. */
    private void run(WorldMember.Body body) throws Exception {
        run(WorldMember.config().withContexts(2).withWindowBytes(4 << 20), 0, body);
    }

    /** Runs a test at members with a configuration; the operator fails at one of them, after some calls. */
    private void run(NodeConfig config, int calls, WorldMember.Body body) throws Exception {
        try (InProcessJob job = InProcessJob.join(directory, MEMBERS, config)) {
            job.onThreads(rank -> {
                final Client client = job.node(rank).client();
                client.operator(
                        FailingOperator.NUMBER,
                        rank == FAILING ? new FailingOperator(calls) : new FailingOperator(false));
                try (Geometry world = Geometry.world(client, client.context(), "all", deadline())) {
                    body.run(new WorldMember(client, world));
                    world.barrier(deadline());
                }
            });
        }
    }

    private static Collective prepare(WorldMember member, Call call) {
        return member.world().prepare(call, deadline());
    }

    /** Waits until this member has received the notice of a collective. */
    private static void awaitNotice(WorldMember member, int collective) {
        final FailedRounds notices = member.world().agreement().failures();
        member.client().context().await(() -> notices.notice(collective) != FailedRounds.NONE, deadline());
    }

    /** Waits until the engine has carried out or given up all rounds. */
    private static void requireDrained(WorldMember member) {
        final Context context = member.client().context();
        context.await(context::isDrained, deadline());
    }

    @ParameterizedTest
    @EnumSource
    void shouldEndTheWaitsOfAllMembers(Wait wait) throws Exception {
        run(member -> {
            try (Collective sum = prepare(member, SUM)) {
                if (member.self() == FAILING) {
                    requireOwnFailure(() -> sum.run(deadline()));
                } else {
                    sum.run(deadline());
                    if (wait == Wait.HANDLER) {
                        sum.onRound(FailedRoundsTest::rethrow);
                    }
                    assertThat(sum.start()).isEqualTo(2);
                    requireFailure(() -> wait.until(sum, member.client().context()));
                    // And of each later call.
                    requireFailure(sum::start);
                    assertThat(sum.isComplete()).isFalse();
                    // The engine has given the round up.
                    requireDrained(member);
                }
            }
        });
    }

    private static void rethrow(long round, @Nullable SegnoException failure) {
        if (failure != null) {
            throw failure;
        }
    }

    private static void requireOwnFailure(ThrowingCallable call) {
        assertThatThrownBy(call)
                .isInstanceOf(RefusedException.class)
                .hasMessageContaining("rank 1 refused: the user operator has thrown an exception");
    }

    private static void requireFailure(ThrowingCallable call) {
        assertThatThrownBy(call)
                .isInstanceOf(RefusedException.class)
                .hasMessageMatching(FAILURE)
                .extracting(e -> ((RefusedException) e).rank())
                .isEqualTo(FAILING);
    }

    /** The notices need the FIFO, which a WAIT holds. The failing call does not wait for it. */
    @Test
    void shouldNotifyTheOthersOnceAFullFifoHasRoom() throws Exception {
        run(member -> {
            try (Collective sum = prepare(member, SUM)) {
                if (member.self() == FAILING) {
                    final ReceptionCounter gate = fillFifo(member.client());
                    requireOwnFailure(() -> sum.run(deadline()));
                    makeRoom(gate, member.client().context());
                } else {
                    sum.run(deadline());
                    requireFailure(() -> sum.run(deadline()));
                }
            }
        });
    }

    /** The failing member refuses what the others send, before it can notify them of the reason. */
    @Test
    void shouldNameTheFailureIfTheRefusalsOfAClosedCollectiveComeFirst() throws Exception {
        final CountDownLatch closed = new CountDownLatch(1);
        final CountDownLatch refused = new CountDownLatch(MEMBERS - 1);
        run(member -> {
            ReceptionCounter gate = null;
            try (Collective sum = prepare(member, SUM)) {
                if (member.self() == FAILING) {
                    gate = fillFifo(member.client());
                    requireOwnFailure(() -> sum.run(deadline()));
                } else {
                    sum.run(deadline());
                    member.client().context().await(() -> closed.getCount() == 0, deadline());
                    sum.start();
                    member.client().context().await(() -> sum.failure() != null, deadline());
                    refused.countDown();
                    requireFailure(() -> sum.await(deadline()));
                }
            }
            if (gate != null) {
                awaitRefusals(member.client());
                closed.countDown();
                // The engine refuses, if the members are on different hosts.
                member.client().context().await(() -> refused.getCount() == 0, deadline());
                makeRoom(gate, member.client().context());
            }
        });
    }

    /** Waits until the counters of what a client has closed refuse, which the engine must not need any more. */
    private static void awaitRefusals(Client client) {
        client.context()
                .await(
                        () -> ContextAccess.closings(client).stream()
                                .noneMatch(
                                        each -> String.valueOf(each.awaited()).contains("queued rounds")),
                        deadline());
    }

    /** Fills the FIFO behind a WAIT for the counter that is returned. */
    private static ReceptionCounter fillFifo(Client client) {
        final Context context = client.context();
        final Window window = client.window(64);
        final ReceptionCounter gate = client.receptionCounter(window, 0, 64);
        gate.expect(Long.BYTES);
        assertThat(context.waitUntil(gate, 0)).isNotNegative();
        while (context.copy(window, 0, window, 8, 8) >= 0) {
            assertThat(context.fifo().fill()).isPositive();
        }
        return gate;
    }

    private static void makeRoom(ReceptionCounter gate, Context context) {
        MemoryAccess.arrived(gate, Long.BYTES);
        context.fence(deadline());
    }

    @Test
    void shouldNameTheFailureAtADeadlineThatComesFirst() throws Exception {
        final CountDownLatch named = new CountDownLatch(MEMBERS - 1);
        run(member -> {
            try (Collective sum = prepare(member, SUM)) {
                if (member.self() == FAILING) {
                    requireOwnFailure(() -> sum.run(deadline()));
                    // Once this member has closed it, it refuses the data of the others.
                    assertThat(named.await(60, TimeUnit.SECONDS)).isTrue();
                } else {
                    sum.run(deadline());
                    assertThat(sum.start()).isEqualTo(2);
                    awaitNotice(member, 1);
                    // Data on their way might still complete the round.
                    assertThat(sum.test()).isFalse();
                    requireFailure(() -> sum.await(Deadline.in(0, TimeUnit.NANOSECONDS)));
                    named.countDown();
                }
            }
        });
    }

    /** A failure is one of its collective alone. */
    @Test
    void shouldCarryOutOtherCollectivesAfterAFailure() throws Exception {
        run(member -> {
            final Geometry world = member.world();
            final List<Collective> sums = new ArrayList<>();
            for (int i = 0; i < 3; i++) {
                sums.add(world.prepare(i == 1 ? SUM : WorldMember.SUM, deadline()));
            }
            final Collective failing = sums.get(1);
            if (member.self() == FAILING) {
                requireOwnFailure(() -> failing.run(deadline()));
            } else {
                failing.run(deadline());
                failing.start();
                requireFailure(() -> failing.await(deadline()));
            }
            for (int round = 1; round <= 10; round++) {
                for (int i = 0; i < 3; i += 2) {
                    requireSum(sums.get(i), round);
                }
            }
            // Recorded again, and with an operator that does not fail: the number of the collective is another one.
            failing.close();
            member.client().operator(FailingOperator.NUMBER + 1, new FailingOperator(false));
            final Reduction works = Reduction.of(ElementType.LONG, FailingOperator.NUMBER + 1);
            try (Collective again = world.prepare(Call.allreduce(Long.BYTES, works), deadline())) {
                requireSum(again, 7);
            }
            sums.get(0).close();
            sums.get(2).close();
        });
    }

    private static void requireSum(Collective sum, long value) {
        sum.input().putLong(0, value);
        sum.run(deadline());
        assertThat(sum.output().getLong(0)).isEqualTo(MEMBERS * value);
    }

    /** A member may be a round ahead of others, which can still complete theirs. */
    @Test
    void shouldCompleteTheRoundBeforeTheOneThatHasFailed() throws Exception {
        final int ahead = 2;
        final CountDownLatch noticed = new CountDownLatch(1);
        final Call call = Call.reduce(0, Long.BYTES, Reduction.of(ElementType.LONG, FailingOperator.NUMBER));
        try (InProcessJob job = InProcessJob.join(directory, 4, WorldMember.config())) {
            job.onThreads(rank -> {
                final Client client = job.node(rank).client();
                client.operator(
                        FailingOperator.NUMBER, rank == ahead ? new FailingOperator(1) : new FailingOperator(false));
                try (Geometry world = Geometry.world(client, client.context(), "all", deadline());
                        Collective sum = world.prepare(call.by("tree"), deadline())) {
                    sum.input().putLong(0, rank + 1);
                    if (rank == 0) {
                        sum.start();
                        awaitNotice(new WorldMember(client, world), 1);
                        assertThatThrownBy(() -> sum.await(Deadline.in(0, TimeUnit.NANOSECONDS)))
                                .isInstanceOf(DeadlineException.class);
                        noticed.countDown();
                        sum.await(deadline());
                        assertThat(sum.output().getLong(0)).isEqualTo(10);
                    } else if (rank == 1) {
                        assertThat(noticed.await(60, TimeUnit.SECONDS)).isTrue();
                        sum.run(deadline());
                    } else {
                        // The last member sends to the one that fails.
                        runTwo(sum, rank == ahead);
                    }
                    world.barrier(deadline());
                }
            });
        }
    }

    /** Runs two rounds. The second one fails at this member if {@code fails}, and is complete otherwise. */
    private static void runTwo(Collective sum, boolean fails) {
        sum.run(deadline());
        assertThat(sum.start()).isEqualTo(2);
        if (fails) {
            assertThatThrownBy(() -> sum.await(deadline())).isInstanceOf(RefusedException.class);
        } else {
            sum.await(deadline());
        }
    }

    /** A member may have queued the round that has failed, and others may still need the one before. */
    @Test
    void shouldNotEndTheRoundBeforeAQueuedOneThatHasFailed() throws Exception {
        final int ahead = 2;
        final CountDownLatch noticed = new CountDownLatch(1);
        final Call call = Call.reduce(0, Long.BYTES, Reduction.of(ElementType.LONG, FailingOperator.NUMBER));
        try (InProcessJob job = InProcessJob.join(directory, 4, WorldMember.config())) {
            job.onThreads(rank -> {
                final Client client = job.node(rank).client();
                client.operator(
                        FailingOperator.NUMBER, rank == ahead ? new FailingOperator(1) : new FailingOperator(false));
                try (Geometry world = Geometry.world(client, client.context(), "all", deadline());
                        Collective sum = world.prepare(call.by("tree"), deadline())) {
                    if (rank == 0) {
                        sum.start();
                        assertThat(sum.queue()).isEqualTo(2);
                        awaitNotice(new WorldMember(client, world), 1);
                        // Longer than the time that is left to data on their way.
                        assertThatThrownBy(() -> sum.await(Deadline.in(150, TimeUnit.MILLISECONDS)))
                                .isInstanceOf(DeadlineException.class);
                        assertThat(sum.test()).isFalse();
                        assertThatThrownBy(sum::close)
                                .isInstanceOf(IllegalStateException.class)
                                .hasMessageContaining("is in progress: await it before closing it");
                        noticed.countDown();
                        assertThatThrownBy(() -> sum.await(deadline()))
                                .isInstanceOf(RefusedException.class)
                                .hasMessageContaining("member 2 (rank 2) has failed");
                    } else if (rank == 1) {
                        assertThat(noticed.await(60, TimeUnit.SECONDS)).isTrue();
                        sum.run(deadline());
                    } else {
                        runTwo(sum, rank == ahead);
                    }
                    world.barrier(deadline());
                }
            });
        }
    }

    /** One operator may fail in several collectives that are in progress. */
    @Test
    void shouldEndTheWaitsOfEachCollectiveThatFails() throws Exception {
        run(member -> {
            try (Collective one = prepare(member, SUM);
                    Collective other = prepare(member, SUM)) {
                if (member.self() != FAILING) {
                    one.run(deadline());
                    other.run(deadline());
                }
                one.start();
                other.start();
                if (member.self() == FAILING) {
                    requireOwnFailure(() -> one.await(deadline()));
                    requireOwnFailure(() -> other.await(deadline()));
                } else {
                    awaitNotice(member, 2);
                    requireFailure(() -> one.await(deadline()));
                    requireFailure(() -> other.await(deadline()));
                    // What it knows of a failure elsewhere is no failure of its own.
                    requireFailure(one::start);
                }
            }
            requireDrained(member);
        });
    }

    @Test
    void shouldEndARoundWhoseStartIsChecked() throws Exception {
        run(member -> {
            member.world().checksRounds(true);
            try (Collective sum = prepare(member, SUM)) {
                if (member.self() == FAILING) {
                    requireOwnFailure(() -> sum.run(deadline()));
                } else {
                    sum.run(deadline());
                    awaitNotice(member, 1);
                    assertThatThrownBy(() -> sum.run(deadline()))
                            .isInstanceOf(RefusedException.class)
                            .hasMessageContaining("member 1 (rank 1) has failed");
                }
            }
            // The agreement of the members is in step.
            WorldMember.requireUsable(member.world());
        });
    }

    @Test
    void shouldTellPostedWorkThatNoRoundCanStart() throws Exception {
        run(member -> {
            try (Collective sum = prepare(member, SUM)) {
                if (member.self() == FAILING) {
                    requireOwnFailure(() -> sum.run(deadline()));
                    return;
                }
                sum.run(deadline());
                sum.start();
                final AtomicBoolean isTold = new AtomicBoolean();
                final Context context = member.client().context();
                context.post(() -> {
                    if (sum.failure() == null) {
                        return Status.AGAIN;
                    }
                    requireFailure(sum::start);
                    isTold.set(true);
                    return 0;
                });
                context.await(isTold::get, deadline());
            }
        });
    }

    /** The application of the failing member knows it from its handler, and asks for nothing. */
    @Test
    void shouldNotifyTheOthersWhenTheHandlerIsCalled() throws Exception {
        run(member -> {
            try (Collective sum = prepare(member, SUM)) {
                if (member.self() == FAILING) {
                    final AtomicBoolean isCalled = new AtomicBoolean();
                    sum.onRound((round, failure) -> isCalled.set(failure instanceof RefusedException));
                    sum.start();
                    member.client().context().await(isCalled::get, deadline());
                } else {
                    sum.run(deadline());
                    sum.start();
                    requireFailure(() -> sum.await(deadline()));
                }
            }
        });
    }

    /** Engines with threads of their own, a queued round, and a FIFO that is full when the notice is due. */
    @Test
    void shouldEndStartedAndQueuedRoundsOfDedicatedEngines() throws Exception {
        final NodeConfig config = WorldMember.config()
                .withThreading(NodeConfig.Threading.DEDICATED)
                .withWindowBytes(8 << 20)
                .withFifoSlots(16);
        run(config, 0, member -> {
            final Client client = member.client();
            try (Collective sum = prepare(member, SUM)) {
                sum.start();
                if (member.self() == FAILING) {
                    client.context().await(() -> sum.failure() != null, deadline());
                    final Window window = client.window(4 << 20);
                    while (client.context().copy(window, 0, window, 2 << 20, 2 << 20) >= 0) {
                        Thread.onSpinWait();
                    }
                    requireOwnFailure(() -> sum.await(deadline()));
                    client.context().fence(deadline());
                    // Repeats what may have found no room.
                    requireOwnFailure(sum::start);
                    requireOwnFailure(sum::queue);
                } else {
                    sum.await(deadline());
                    sum.queue();
                    sum.queue();
                    requireFailure(() -> sum.await(deadline()));
                }
            }
            requireDrained(member);
        });
    }

    /** A part of a geometry has notices of its own, and a collective of several contexts fails as a whole. */
    @Test
    void shouldEndTheWaitsOfACollectiveWithSeveralContexts() throws Exception {
        run(member -> {
            final Client client = member.client();
            final Context[] contexts = {client.context(0), client.context(1)};
            final Call call = Call.allreduce(256 << 10, Reduction.of(ElementType.LONG, FailingOperator.NUMBER));
            try (Geometry world = Geometry.world(client, contexts, "two", deadline());
                    Geometry left = Objects.requireNonNull(world.split(0, member.self(), deadline()));
                    Collective sum = left.prepare(call, deadline())) {
                assertThat(sum.parts()).isEqualTo(2);
                if (member.self() == FAILING) {
                    requireOwnFailure(() -> sum.run(deadline()));
                } else {
                    assertThatThrownBy(() -> {
                                sum.run(deadline());
                                sum.run(deadline());
                            })
                            .isInstanceOf(RefusedException.class)
                            .hasMessageContaining("member 1 (rank 1) has failed: the user operator");
                }
            }
        });
    }
}
