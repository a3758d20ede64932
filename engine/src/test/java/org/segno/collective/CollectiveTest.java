package org.segno.collective;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Random;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicIntegerArray;
import java.util.function.BooleanSupplier;
import org.agrona.concurrent.UnsafeBuffer;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.segno.combine.ElementType;
import org.segno.combine.Operator;
import org.segno.context.Client;
import org.segno.memory.Window;
import org.segno.node.InProcessJob;
import org.segno.node.OverMemoryAndLinks;
import org.segno.status.Deadline;
import org.segno.status.DeadlineException;
import org.segno.status.RefusedException;
import org.segno.status.Status;

/** Rounds of recorded collectives: starting, queueing, awaiting and closing them. */
@OverMemoryAndLinks
@Timeout(120)
class CollectiveTest {
    private static final int ROUNDS = 100;

    @TempDir
    Path directory;

    private static long deadline() {
        return InProcessJob.deadline();
    }

    @Test
    void shouldStateTheWindowsOfAlgorithmsOfOneHostAndOfSeveral() {
        final Call broadcast = Call.broadcast(0, 4096);
        final Call sum = Call.allreduce(4096, Reduction.of(ElementType.LONG, Operator.SUM));
        for (final String algorithm : List.of("pull", "line", "hosts")) {
            assertThat(Geometry.windowBytes(4, broadcast.by(algorithm))).isPositive();
        }
        assertThat(Geometry.windowBytes(4, sum.by("pull"))).isGreaterThan(4096);
        assertThatThrownBy(() -> Geometry.windowBytes(64, Call.barrier().by("pull")))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("pull");
    }

    @Test
    void shouldStateTheWindowsOfTheAlgorithmsOfATable() {
        final Call sum = Call.allreduce(1 << 18, sumOfLongs());
        final AlgorithmTable table = AlgorithmTable.of(List.of("allreduce recursive-doubling any any"));

        assertThat(Geometry.windowBytes(4, 1, AlgorithmTable.defaults(), sum))
                .isEqualTo(Geometry.windowBytes(4, sum))
                .isNotEqualTo(Geometry.windowBytes(4, 1, table, sum));
        assertThat(Geometry.windowBytes(4, 1, table, sum))
                .isEqualTo(Geometry.windowBytes(4, sum.by("recursive-doubling")));
    }

    @Test
    void shouldRefuseLengthsWhoseSumsOverflow() throws Exception {
        final long half = Long.MAX_VALUE / 2;
        final List<Call> calls = List.of(
                Call.allToAll(half),
                Call.reduceScatter(Lengths.equal(half - 7), sumOfLongs()),
                Call.allgather(Lengths.of(half, 8)),
                Call.allgather(Lengths.of(8, 8).at(0, half)),
                Call.allToAll(Lengths.of(8, 8), Lengths.of(8, half)),
                Call.broadcast(0, Long.MAX_VALUE),
                Call.scan(half + 1, sumOfLongs()));
        for (final Call call : calls) {
            assertThatThrownBy(() -> Geometry.windowBytes(2, call))
                    .isInstanceOf(IllegalArgumentException.class)
                    .hasMessageContaining("a collective has at most 2^44 bytes");
        }
        assertThat(Geometry.windowBytes(2, Call.allgather(Lengths.equal(1L << 43))))
                .isGreaterThan(1L << 44);
        WorldMember.run(directory, 2, member -> {
            for (final Call call : calls) {
                assertThatThrownBy(() -> member.world().prepare(call, deadline()))
                        .isInstanceOf(IllegalArgumentException.class)
                        .hasMessageContaining("a collective has at most 2^44 bytes");
            }
        });
    }

    @Test
    void shouldRefuseAReductionWithoutAnOperator() {
        assertThatThrownBy(() -> new Call(
                        CollectiveKind.ALLREDUCE, 0, Lengths.equal(8), null, null, null, 0, null, 0, "", false))
                .isInstanceOf(NullPointerException.class)
                .hasMessage("reduction");
    }

    @Test
    void shouldReplayOneRecordForAnyArrays() throws Exception {
        WorldMember.run(directory, 3, member -> {
            final Geometry world = member.world();
            final Call call = Call.allgather(Lengths.of(8, 16, 24));
            final int own = 8 * (world.self() + 1);
            for (int round = 1; round <= ROUNDS; round++) {
                final byte[] source = new byte[own + round];
                new Random(round + world.self()).nextBytes(source);
                final byte[] target = new byte[48 + round];
                world.run(call, new UnsafeBuffer(source), round, new UnsafeBuffer(target), round, deadline());
                for (int from = 0; from < 3; from++) {
                    final byte[] expected = new byte[8 * (from + 1) + round];
                    new Random(round + from).nextBytes(expected);
                    final int at = round + (from == 0 ? 0 : from == 1 ? 8 : 24);
                    assertThat(new UnsafeBuffer(target, at, expected.length - round))
                            .isEqualTo(new UnsafeBuffer(expected, round, expected.length - round));
                }
                assertThat(target).startsWith(new byte[round]);
                assertThat(world.collective(call, deadline()).round()).isEqualTo(round);
            }
        });
    }

    @Test
    void shouldKeepOneCollectiveForEqualCalls() throws Exception {
        WorldMember.run(directory, 2, member -> {
            final Geometry world = member.world();
            final Window window = member.client().window(256);
            final Call one = Call.allreduce(64, sumOfLongs()).in(window, 0);
            final Call other = Call.allreduce(64, sumOfLongs()).in(window, 0);
            final Collective known = world.collective(one, deadline());
            assertThat(world.collective(other, deadline())).isSameAs(known);
            assertThat(world.collective(Call.barrier(), deadline())).isSameAs(world.collective(Call.barrier(), 0));
            assertThat(world.collective(one.in(window, 64), deadline())).isNotSameAs(known);
            final Collective alone = world.prepare(one, deadline());
            assertThat(alone).isNotSameAs(known);
            assertThatThrownBy(() -> world.run(one, window.buffer(), 0, window.buffer(), 0, deadline()))
                    .isInstanceOf(IllegalArgumentException.class)
                    .hasMessageContaining("a call with windows has its buffers there: allreduce of 64 bytes");
        });
    }

    private static Reduction sumOfLongs() {
        return Objects.requireNonNull(WorldMember.SUM.reduction());
    }

    @Test
    void shouldQueueASecondRoundAndNoThird() throws Exception {
        final CyclicBarrier together = new CyclicBarrier(2);
        WorldMember.run(directory, 2, member -> {
            for (final Call call : List.of(Call.allgather(Lengths.equal(8)), WorldMember.SUM)) {
                final Collective collective = member.world().prepare(call, deadline());
                for (long round = 1; round <= ROUNDS; round += 2) {
                    together.await();
                    if (member.self() == round / 2 % 2) {
                        assertThat(collective.queue()).isEqualTo(round);
                        assertThat(collective.queue()).isEqualTo(round + 1);
                        assertThat(collective.queue()).isEqualTo(Status.BUSY);
                        assertThat(collective.start()).isEqualTo(Status.BUSY);
                        assertThat(collective.test()).isFalse();
                        together.await();
                        collective.await(deadline());
                    } else {
                        together.await();
                        collective.run(deadline());
                        collective.run(deadline());
                    }
                    assertThat(collective.round()).isEqualTo(round + 1);
                    assertThat(collective.isComplete()).isTrue();
                }
            }
        });
    }

    @Test
    void shouldNotQueueABarrier() throws Exception {
        WorldMember.run(directory, 2, member -> {
            final Collective barrier = member.world().prepare(Call.barrier(), deadline());
            assertThatThrownBy(barrier::queue)
                    .isInstanceOf(IllegalStateException.class)
                    .hasMessageContaining("a barrier cannot be queued");
            barrier.run(deadline());
        });
    }

    @Test
    void shouldReplaceTheResultOfTheFirstOfTwoQueuedRounds() throws Exception {
        WorldMember.run(directory, 3, member -> {
            final Window window = member.client().window(64);
            final Collective sum = member.world()
                    .prepare(Call.allreduce(8, sumOfLongs()).from(window, 0).into(window, 8), deadline());
            for (int round = 1; round <= ROUNDS; round++) {
                window.putLong(0, round * (member.self() + 1L));
                window.putLong(8, -1);
                assertThat(sum.queue()).isPositive();
                assertThat(sum.queue()).isPositive();
                sum.await(deadline());
                assertThat(window.getLong(8)).isEqualTo(round * 6L);
            }
            assertThat(sum.round()).isEqualTo(2 * ROUNDS);
        });
    }

    @Test
    void shouldCompleteByTestsAlone() throws Exception {
        WorldMember.run(directory, 3, member -> {
            try (Collective sum = member.world().prepare(WorldMember.SUM, deadline())) {
                assertThat(sum.round()).isZero();
                assertThat(sum.isComplete()).isTrue();
                sum.await(deadline());
                for (int round = 1; round <= ROUNDS; round++) {
                    sum.input().putLong(0, round * (member.self() + 1L));
                    assertThat(sum.start()).isEqualTo(round);
                    while (!sum.test()) {
                        WorldMember.yieldCore();
                    }
                    assertThat(sum.output().getLong(0)).isEqualTo(round * 6L);
                }
                assertThat(sum)
                        .hasToString("allreduce of 8 bytes, LONG SUM by slots of geometry all of 3 members, round "
                                + ROUNDS);
                assertThat(sum.algorithm()).isEqualTo("slots");
                assertThat(sum.descriptors()).isPositive();
            }
        });
    }

    @Test
    void shouldNotCompleteASynchronousRoundBeforeAllHaveBegunIt() throws Exception {
        final AtomicInteger arrived = new AtomicInteger();
        WorldMember.run(directory, 3, member -> {
            final Call gather = Call.gather(0, Lengths.equal(Long.BYTES));
            try (Collective early = member.world().prepare(gather, deadline());
                    Collective late = member.world().prepare(gather.synchronous(), deadline())) {
                assertThat(late).asString().startsWith("synchronous gather of root 0");
                for (int round = 1; round <= ROUNDS; round++) {
                    late.input().putLong(0, round * (member.self() + 1L));
                    if (member.self() != 2) {
                        assertThat(early.start()).isEqualTo(round);
                        assertThat(late.start()).isEqualTo(round);
                    }
                    if (member.self() == 1) {
                        // This member needs nothing of the last one.
                        early.await(deadline());
                    }
                    if (member.self() != 2) {
                        for (int i = 0; i < 10; i++) {
                            assertThat(late.test()).isFalse();
                        }
                    }
                    awaitAll(member, arrived, round);
                    if (member.self() == 2) {
                        assertThat(early.start()).isEqualTo(round);
                        assertThat(late.start()).isEqualTo(round);
                    }
                    early.await(deadline());
                    late.await(deadline());
                    if (member.self() == 0) {
                        assertThat(late.output().getLong(2 * Long.BYTES)).isEqualTo(round * 3L);
                    }
                }
            }
            final Call different = member.self() == 1 ? gather : gather.synchronous();
            assertThatThrownBy(() -> member.world().prepare(different, deadline()))
                    .isInstanceOf(IllegalStateException.class)
                    .hasMessageContaining("member 1 (rank 1) calls gather asynchronously, not as member 0 (rank 0)");
        });
    }

    /** Waits for all members, and advances meanwhile: the others may need this one's engine. */
    private static void awaitAll(WorldMember member, AtomicInteger arrived, int round) {
        arrived.incrementAndGet();
        advanceUntil(member, () -> arrived.get() >= 3 * round);
    }

    @Test
    @Tag("long")
    void shouldSendNothingThatAFailedOperatorHasLeftUnfinished() throws Exception {
        final int size = 4;
        final int failing = 2;
        try (InProcessJob job = InProcessJob.join(directory, size, WorldMember.config())) {
            job.onThreads(rank -> {
                final Client client = job.node(rank).client();
                client.operator(3, new FailingOperator(rank == failing));
                final Geometry world = Geometry.world(client, client.context(), "all", deadline());
                final Call call = Call.reduce(0, Long.BYTES, Reduction.of(ElementType.LONG, 3));
                final Collective sum = world.prepare(call.by("tree"), deadline());
                sum.input().putLong(0, rank + 1);
                if (rank == failing) {
                    assertThatThrownBy(() -> sum.run(deadline()))
                            .isInstanceOf(RefusedException.class)
                            .hasMessageContaining("the user operator has thrown an exception")
                            .extracting(e -> ((RefusedException) e).rank())
                            .isEqualTo(failing);
                    assertThatThrownBy(sum::start)
                            .isInstanceOf(RefusedException.class)
                            .hasMessageContaining("rank 2 refused: the user operator has thrown an exception");
                    assertThatThrownBy(sum::queue).isInstanceOf(RefusedException.class);
                    assertThat(sum.round()).isEqualTo(1);
                } else if (rank == 0) {
                    sum.output().putLong(0, -1);
                    assertThatThrownBy(() -> sum.run(deadline()))
                            .isInstanceOf(RefusedException.class)
                            .hasMessageContaining("member 2 (rank 2) has failed: the user operator")
                            .hasMessageContaining("reduce of root 0");
                    assertThat(sum.isComplete()).isFalse();
                } else {
                    sum.run(deadline());
                }
            });
        }
    }

    @Test
    void shouldCallTheHandlerOfEachRoundThatIsStartedOrQueued() throws Exception {
        WorldMember.run(directory, 3, member -> {
            try (Collective sum = member.world().prepare(WorldMember.SUM, deadline())) {
                final List<Long> ended = new ArrayList<>();
                sum.onRound((round, failure) -> {
                    assertThat(failure).isNull();
                    ended.add(round);
                });
                sum.input().putLong(0, 1);
                for (int round = 1; round <= ROUNDS; round += 2) {
                    assertThat(sum.start()).isEqualTo(round);
                    assertThat(sum.queue()).isEqualTo(round + 1);
                    assertThatThrownBy(() -> sum.onRound(null))
                            .isInstanceOf(IllegalStateException.class)
                            .hasMessageContaining("is in progress: await it before another handler is set");
                    advanceUntil(member, () -> ended.size() == sum.round());
                    assertThat(sum.isComplete()).isTrue();
                    assertThat(sum.output().getLong(0)).isEqualTo(3);
                }
                assertThat(ended).hasSize(ROUNDS).isSorted();
                sum.onRound(null);
                sum.run(deadline());
                member.client().context().advance();
                assertThat(ended).hasSize(ROUNDS);
                sum.onRound((round, failure) -> ended.add(-round));
                sum.run(deadline());
                assertThat(ended).hasSize(ROUNDS + 1).endsWith(-sum.round());
            }
        });
    }

    @Test
    void shouldCallAHandlerAgainThatHasThrownAnException() throws Exception {
        WorldMember.run(directory, 2, member -> {
            try (Collective sum = member.world().prepare(WorldMember.SUM, deadline())) {
                final List<Long> ended = new ArrayList<>();
                sum.onRound((round, failure) -> {
                    ended.add(round);
                    assertThatThrownBy(() -> member.world().prepare(WorldMember.SUM, deadline()))
                            .isInstanceOf(IllegalStateException.class)
                            .hasMessageContaining("cannot advance");
                    if (round == 1) {
                        throw new IllegalArgumentException("thrown by the handler");
                    }
                });
                assertThat(sum.start()).isEqualTo(1);
                assertThatThrownBy(() -> advanceUntil(member, () -> ended.size() == 2))
                        .isInstanceOf(IllegalArgumentException.class)
                        .hasMessage("thrown by the handler");
                assertThat(sum.start()).isEqualTo(2);
                advanceUntil(member, () -> ended.size() == 2);
                assertThat(sum.isComplete()).isTrue();
                sum.onRound(null);
            }
        });
    }

    @Test
    void shouldCallAHandlerOfAQueuedRoundAfterOneThatHasThrownAnException() throws Exception {
        WorldMember.run(directory, 2, member -> {
            try (Collective sum = member.world().prepare(WorldMember.SUM, deadline())) {
                final List<Long> ended = new ArrayList<>();
                sum.onRound((round, failure) -> {
                    ended.add(round);
                    if (round % 2 == 1) {
                        throw new IllegalArgumentException("thrown by the handler");
                    }
                });
                for (long round = 1; round <= ROUNDS; round += 2) {
                    assertThat(sum.start()).isEqualTo(round);
                    assertThat(sum.queue()).isEqualTo(round + 1);
                    assertThatThrownBy(() -> advanceUntil(member, () -> ended.size() == sum.round()))
                            .isInstanceOf(IllegalArgumentException.class)
                            .hasMessage("thrown by the handler");
                    advanceUntil(member, () -> ended.size() == sum.round());
                    assertThat(sum.isComplete()).isTrue();
                }
                assertThat(ended).hasSize(ROUNDS).isSorted();
                sum.onRound(null);
            }
        });
    }

    @Test
    void shouldStartTheNextRoundInItsHandler() throws Exception {
        WorldMember.run(directory, 2, member -> {
            try (Collective barrier = member.world().prepare(Call.barrier(), deadline())) {
                barrier.onRound((round, failure) -> {
                    assertThat(failure).isNull();
                    if (round < ROUNDS) {
                        assertThat(barrier.start()).isEqualTo(round + 1);
                    }
                });
                assertThat(barrier.start()).isEqualTo(1);
                advanceUntil(member, () -> barrier.round() == ROUNDS && barrier.isComplete());
            }
        });
    }

    private static void advanceUntil(WorldMember member, BooleanSupplier condition) {
        final long deadlineNs = deadline();
        while (!condition.getAsBoolean()) {
            if (member.client().context().advance() == 0) {
                WorldMember.yieldCore();
            }
            assertThat(Deadline.reached(deadlineNs)).isFalse();
        }
    }

    @Test
    void shouldRefuseUseAfterItsClose() throws Exception {
        WorldMember.run(directory, 2, member -> {
            final Collective sum = member.world().prepare(WorldMember.SUM, deadline());
            sum.run(deadline());
            sum.close();
            sum.close();
            final List<ThrowingCallable> uses = List.of(
                    sum::start,
                    sum::queue,
                    () -> sum.run(deadline()),
                    () -> sum.await(deadline()),
                    sum::isComplete,
                    sum::test,
                    () -> sum.onRound(null),
                    sum::input,
                    sum::output,
                    () -> sum.completeAtAll(member.world(), deadline()));
            for (final ThrowingCallable use : uses) {
                assertThatThrownBy(use)
                        .isInstanceOf(IllegalStateException.class)
                        .hasMessage("allreduce of 8 bytes, LONG SUM by slots of geometry all of 2 members, round 1 is"
                                + " closed");
            }
            // Uses that were refused have left everything as it was.
            sum.close();
        });
    }

    /** A round that was given up is executed. It must not count as complete, or the next one would begin. */
    @Test
    void shouldStartNoRoundAfterOneThatWasGivenUp() throws Exception {
        try (InProcessJob job = InProcessJob.join(directory, 2, WorldMember.config())) {
            job.onThreads(rank -> {
                final Client client = job.node(rank).client();
                client.operator(3, new FailingOperator(rank == 1));
                final Geometry world = Geometry.world(client, client.context(), "all", deadline());
                final Call call = Call.allreduce(Long.BYTES, Reduction.of(ElementType.LONG, 3));
                final Collective sum = world.prepare(call.by("slots"), deadline());
                if (rank == 0) {
                    sum.run(deadline());
                } else {
                    assertThat(sum.start()).isEqualTo(1);
                    assertThatThrownBy(() -> sum.run(deadline()))
                            .isInstanceOf(RefusedException.class)
                            .hasMessageContaining("the user operator has thrown an exception");
                    assertThat(sum.isComplete()).isFalse();
                    assertThat(sum.round()).isEqualTo(1);
                }
            });
        }
    }

    @Test
    void shouldNameTheBytesThatAnyRoundMisses() throws Exception {
        final CyclicBarrier together = new CyclicBarrier(2);
        WorldMember.run(directory, 2, member -> {
            final Collective sum = member.world().prepare(WorldMember.SUM, deadline());
            for (int round = 1; round <= 4; round++) {
                sum.run(deadline());
                if (member.self() == 0) {
                    sum.start();
                    assertThatThrownBy(() -> sum.await(Deadline.in(5, TimeUnit.MILLISECONDS)))
                            .isInstanceOf(DeadlineException.class)
                            .hasMessageContaining("a WAIT holds it: reception counter ")
                            .hasMessageContaining(", which misses 8 bytes; it admits everybody: rank 1 is in the job");
                }
                together.await();
                if (member.self() == 1) {
                    sum.start();
                }
                sum.await(deadline());
            }
            sum.close();
        });
    }

    @Test
    void shouldRefuseToBeClosedWhileARoundIsInProgress() throws Exception {
        final CyclicBarrier together = new CyclicBarrier(2);
        WorldMember.run(directory, 2, member -> {
            final Geometry part = Objects.requireNonNull(member.world().split(0, 0, deadline()));
            final Collective recorded = part.collective(Call.barrier(), deadline());
            for (final long bytes : new long[] {8, 16, 24, 32}) {
                part.run(Call.allreduce(bytes, sumOfLongs()), deadline());
            }
            WorldMember.requireUsable(part);
            together.await();
            if (member.self() == 0) {
                assertThat(recorded.start()).isEqualTo(1);
                for (final ThrowingCallable close : List.<ThrowingCallable>of(recorded::close, part::close)) {
                    assertThatThrownBy(close)
                            .isInstanceOf(IllegalStateException.class)
                            .hasMessage("barrier by counters of geometry all.1 of 2 members, round 1 is in progress:"
                                    + " await it before closing it");
                }
                assertThatThrownBy(() -> recorded.run(Deadline.in(5, TimeUnit.MILLISECONDS)))
                        .isInstanceOf(DeadlineException.class)
                        .hasMessageContaining("barrier by counters of geometry all.1 of 2 members, round 1")
                        .hasMessageContaining("could not start: BUSY");
                assertThatThrownBy(() -> recorded.await(Deadline.in(5, TimeUnit.MILLISECONDS)))
                        .isInstanceOf(DeadlineException.class)
                        .hasMessageContaining("barrier by counters of geometry all.1 of 2 members")
                        .hasMessageContaining("rank 1");
            }
            together.await();
            if (member.self() == 1) {
                assertThat(recorded.start()).isEqualTo(1);
            }
            recorded.await(deadline());
            for (final long bytes : new long[] {8, 16, 24, 32}) {
                part.run(Call.allreduce(bytes, sumOfLongs()), deadline());
            }
            WorldMember.requireUsable(part);
            part.close();
        });
    }

    @Test
    void shouldLeaveNoBarrierBeforeAllHaveEntered() throws Exception {
        final int size = 5;
        final AtomicIntegerArray entered = new AtomicIntegerArray(size);
        WorldMember.run(directory, size, member -> {
            final Random chance = new Random(member.self());
            for (int round = 1; round <= 300; round++) {
                if (chance.nextInt(size) == member.self()) {
                    WorldMember.yieldCore();
                }
                entered.set(member.self(), round);
                member.world().barrier(deadline());
                for (int other = 0; other < size; other++) {
                    assertThat(entered.get(other)).isBetween(round, round + 1);
                }
            }
        });
    }
}
