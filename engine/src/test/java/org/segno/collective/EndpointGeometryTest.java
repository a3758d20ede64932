package org.segno.collective;

import static java.util.concurrent.TimeUnit.MILLISECONDS;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.file.Path;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.TimeUnit;
import org.agrona.DirectBuffer;
import org.agrona.MutableDirectBuffer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.segno.combine.ElementType;
import org.segno.combine.Operator;
import org.segno.combine.UserOperator;
import org.segno.context.Client;
import org.segno.context.Context;
import org.segno.geometry.Endpoint;
import org.segno.memory.Window;
import org.segno.node.InProcessJob;
import org.segno.node.NodeConfig;
import org.segno.node.NodeConfig.Threading;
import org.segno.node.OverMemoryAndLinks;
import org.segno.status.Deadline;
import org.segno.status.DeadlineException;
import org.segno.status.RefusedException;
import org.segno.status.SegnoException;

/** Geometries whose members are contexts, each used by a thread of its own: several members are of one rank. */
@OverMemoryAndLinks
@Timeout(120)
class EndpointGeometryTest {
    private static final int RANKS = 2;
    private static final int PER_RANK = 2;
    private static final int MEMBERS = RANKS * PER_RANK;

    /** Bytes of an allreduce that all members read in blocks. */
    private static final int LONG_BYTES = 128 << 10;

    private static final Reduction SUM = Reduction.of(ElementType.LONG, 3);

    @TempDir
    Path directory;

    private static long deadline() {
        return InProcessJob.deadline();
    }

    private static NodeConfig config() {
        return WorldMember.config()
                .withWindowBytes(8 << 20)
                .withContexts(PER_RANK)
                .withCounters(256, 256)
                .withWindows(256);
    }

    /** Test of the thread of one context. */
    @FunctionalInterface
    private interface Body {
        void run(Client client, Context context) throws Exception;
    }

    /** Runs a test on a thread for each context of all ranks, those of a rank one behind the other. */
    private void run(NodeConfig config, Body body) throws Exception {
        try (InProcessJob job = InProcessJob.join(directory, RANKS, config)) {
            job.onThreads(MEMBERS, thread -> {
                final Client client = job.node(thread / PER_RANK).client();
                body.run(client, client.context(thread % PER_RANK));
            });
        }
    }

    private static Geometry all(Client client, Context context) {
        return Geometry.endpoints(client, context, PER_RANK, "all", deadline());
    }

    @ParameterizedTest
    @EnumSource(names = {"INVOKER", "SHARED"})
    void shouldLetTheThreadsOfARankTakePartInACollective(Threading threading) throws Exception {
        run(config().withThreading(threading), (client, context) -> {
            final Geometry world = all(client, context);
            assertThat(WorldMember.ranks(world)).isEqualTo(List.of(0, 0, 1, 1));
            assertThat(world.toString()).isEqualTo("geometry all of 4 members");
            final Window window = client.window(LONG_BYTES);
            final Call call = Call.allreduce(LONG_BYTES, Reduction.of(ElementType.LONG, Operator.SUM))
                    .in(window, 0);
            for (int round = 1; round <= 100; round++) {
                final long value = round * (world.self() + 1L);
                window.putLong(0, value);
                window.putLong(LONG_BYTES - Long.BYTES, -value);
                world.run(call, deadline());
                assertThat(window.getLong(0)).isEqualTo(10L * round);
                assertThat(window.getLong(LONG_BYTES - Long.BYTES)).isEqualTo(-10L * round);
                assertThat(WorldMember.sum(world, value)).isEqualTo(10L * round);
            }
            world.barrier(deadline());
            world.close();
            client.close(window);
        });
    }

    @Test
    void shouldSplitByRankAndByContext() throws Exception {
        run(config(), (client, context) -> {
            final Geometry world = all(client, context);
            final int self = world.self();
            final Geometry rank = Objects.requireNonNull(world.split(self / PER_RANK, 0, deadline()));
            assertThat(WorldMember.ranks(rank)).isEqualTo(List.of(context.rank(), context.rank()));
            assertThat(rank.self()).isEqualTo(self % PER_RANK);
            final Geometry across = Objects.requireNonNull(world.split(self % PER_RANK, -self, deadline()));
            assertThat(WorldMember.ranks(across)).isEqualTo(List.of(1, 0));
            for (int round = 0; round < 50; round++) {
                assertThat(WorldMember.sum(rank, self)).isEqualTo(context.rank() == 0 ? 1 : 5);
                assertThat(WorldMember.sum(across, self)).isEqualTo(self % PER_RANK == 0 ? 2 : 4);
            }
            final Geometry some = world.of(new int[] {3, 0, 1}, deadline());
            if (self == 2) {
                assertThat(some).isNull();
            } else {
                assertThat(WorldMember.ranks(Objects.requireNonNull(some))).isEqualTo(List.of(1, 0, 0));
                assertThat(WorldMember.sum(some, self)).isEqualTo(4);
            }
            world.barrier(deadline());
        });
    }

    @Test
    void shouldCreateAndCloseManyWithoutALeak() throws Exception {
        run(config(), (client, context) -> {
            for (int i = 0; i < 200; i++) {
                final Geometry world = Geometry.endpoints(client, context, PER_RANK, "use." + i, deadline());
                WorldMember.requireUsable(world);
                world.barrier(deadline());
                world.close();
            }
        });
    }

    @Test
    void shouldBeUsableBesideGeometriesOfRanksWithTheSameName() throws Exception {
        run(config(), (client, context) -> {
            final Geometry world = all(client, context);
            if (world.self() % PER_RANK == 0) {
                final Geometry ranks = Geometry.world(client, context, "all", deadline());
                for (int round = 0; round < 100; round++) {
                    assertThat(WorldMember.sum(ranks, ranks.self() + 1)).isEqualTo(3);
                }
            }
            WorldMember.requireUsable(world);
            world.barrier(deadline());
        });
    }

    @Test
    void shouldRejectMembersThatAreNotDifferentContextsOfTheClient() throws Exception {
        try (InProcessJob job = InProcessJob.join(directory, RANKS, config())) {
            final Client client = job.node(0).client();
            final Context context = client.context(1);
            final long own = context.endpoint();
            final long other = job.node(1).client().context().endpoint();
            assertThatThrownBy(() -> Geometry.endpoints(client, context, 1, "all", deadline()))
                    .isInstanceOf(IllegalArgumentException.class)
                    .hasMessage("contextsPerRank must be 1 to 64, and more than the number of the context:"
                            + " contextsPerRank=1 context=context 1 of rank 0");
            final long otherClient = Endpoint.of(0, 5, 0, 0);
            final long otherUse = Endpoint.of(0, 0, 1, 1, 9);
            final long missing = Endpoint.of(0, 0, PER_RANK, PER_RANK);
            for (final long[] members : new long[][] {
                {}, {other}, {own, other, own}, {own, other + 2}, {own, otherClient}, {otherUse}, {own, missing}
            }) {
                assertThatThrownBy(() -> Geometry.ofEndpoints(client, context, "some", members, deadline()))
                        .isInstanceOf(IllegalArgumentException.class)
                        .hasMessageStartingWith("members must be different contexts of ranks of the client, with"
                                + " context 1 of rank 0 among them: members=[");
            }
            assertThatThrownBy(() -> Geometry.endpoints(job.node(1).client(), context, 2, "all", deadline()))
                    .isInstanceOf(IllegalArgumentException.class);
            final long soonNs = Deadline.in(100, MILLISECONDS);
            assertThatThrownBy(() -> Geometry.endpoints(client, context, PER_RANK, "", soonNs))
                    .isInstanceOf(IllegalArgumentException.class)
                    .hasMessageContaining("1 to 64 bytes");
        }
    }

    /** What one thread closes becomes free although the other one makes no pass any more. */
    @Test
    void shouldLetAThreadUseRoomAgainThatTheOthersHaveLeft() throws Exception {
        final NodeConfig few = config().withWindows(6);
        final CyclicBarrier isOver = new CyclicBarrier(MEMBERS);
        run(few, (client, context) -> {
            final Geometry world = all(client, context);
            WorldMember.requireUsable(world);
            final Geometry across =
                    Objects.requireNonNull(world.split(world.self() % PER_RANK, world.self(), deadline()));
            world.barrier(deadline());
            world.close();
            if (Endpoint.offset(context.endpoint()) == 0) {
                across.close();
            } else {
                for (int i = 0; i < 50; i++) {
                    across.prepare(Call.allgather(Lengths.equal(64 + i)), deadline())
                            .close();
                }
                across.barrier(deadline());
            }
            isOver.await(60, TimeUnit.SECONDS);
        });
    }

    @Test
    void shouldNameTheContextThatWasGivenOtherMembers() throws Exception {
        final CyclicBarrier allHaveFailed = new CyclicBarrier(MEMBERS);
        try (InProcessJob job = InProcessJob.join(directory, RANKS, config())) {
            final long[] all = new long[MEMBERS];
            for (int member = 0; member < MEMBERS; member++) {
                all[member] = job.node(member / PER_RANK)
                        .client()
                        .context(member % PER_RANK)
                        .endpoint();
            }
            job.onThreads(MEMBERS, member -> {
                final Client client = job.node(member / PER_RANK).client();
                final Context context = client.context(member % PER_RANK);
                final long[] given = member == 1 ? new long[] {all[0], all[1], all[3]} : all;
                assertThatThrownBy(() ->
                                Geometry.ofEndpoints(client, context, "all", given, Deadline.in(2_000, MILLISECONDS)))
                        .hasMessageContaining(
                                member == 1
                                        ? "rank 0, context 0 was given another list of members than rank 0, context 1"
                                        : "");
                allHaveFailed.await(60, TimeUnit.SECONDS);
            });
        }
    }

    @Test
    void shouldNameTheContextThatHasNotStarted() throws Exception {
        final CountDownLatch haveSeen = new CountDownLatch(MEMBERS - 1);
        run(config(), (client, context) -> {
            final Geometry world = all(client, context);
            final Collective barrier = world.prepare(Call.barrier(), deadline());
            barrier.run(deadline());
            if (world.self() == 1) {
                assertThat(haveSeen.await(60, TimeUnit.SECONDS)).isTrue();
                barrier.run(deadline());
            } else {
                assertThat(barrier.start()).isEqualTo(2);
                assertThatThrownBy(() -> barrier.await(Deadline.in(100, MILLISECONDS)))
                        .isInstanceOf(DeadlineException.class)
                        .hasMessageContaining("member 1 (rank 0, context 1) has started 1 of 2 rounds here");
                haveSeen.countDown();
                barrier.await(deadline());
            }
            world.barrier(deadline());
        });
    }

    /** A sum that fails, or ends the node, on the thread of one member. */
    private static final class SumOfThreads implements UserOperator {
        private final Throwable failure;
        private volatile Thread failing = new Thread();

        SumOfThreads(Throwable failure) {
            this.failure = failure;
        }

        @Override
        public void combine(
                ElementType type, DirectBuffer left, DirectBuffer right, MutableDirectBuffer result, int count) {
            if (Thread.currentThread().equals(failing)) {
                if (failure instanceof Error error) {
                    throw error;
                }
                throw (RuntimeException) failure;
            }
            for (int i = 0; i < count * Long.BYTES; i += Long.BYTES) {
                result.putLong(i, left.getLong(i) + right.getLong(i));
            }
        }

        @Override
        public boolean isCommutative() {
            return true;
        }
    }

    @Test
    void shouldNotifyTheOtherThreadsOfAFailureAtOneOfThem() throws Exception {
        final SumOfThreads operator = new SumOfThreads(new IllegalStateException("no sum today"));
        final CyclicBarrier all = new CyclicBarrier(MEMBERS);
        run(config(), (client, context) -> {
            final Geometry world = all(client, context);
            if (context.rank() == 0) {
                client.operator(3, operator);
            }
            if (world.self() == 1) {
                operator.failing = Thread.currentThread();
            } else if (context.rank() == 1) {
                client.operator(3, operator);
            }
            all.await(60, TimeUnit.SECONDS);
            final Collective sum = world.prepare(Call.allreduce(8, SUM).by("recursive-doubling"), deadline());
            if (world.self() % 2 == 0) {
                // Its partners are one that has sent its contribution before it failed, and one that does not fail.
                sum.run(deadline());
            } else {
                assertThatThrownBy(() -> sum.run(deadline()))
                        .isInstanceOf(RefusedException.class)
                        .hasMessageContaining(
                                world.self() == 1
                                        ? "rank 0 refused: the user operator has thrown an exception"
                                        : "member 1 (rank 0, context 1) has failed: the user operator has thrown");
            }
            sum.close();
            WorldMember.requireUsable(world);
            world.barrier(deadline());
        });
    }

    @Test
    void shouldLeaveTheThreadsOfTheOtherRanksAfterADeath() throws Exception {
        final SumOfThreads operator = new SumOfThreads(new AssertionError("ends this node"));
        final CyclicBarrier all = new CyclicBarrier(MEMBERS);
        run(config(), (client, context) -> {
            final Geometry world = all(client, context);
            client.operator(3, operator);
            if (world.self() == 1) {
                operator.failing = Thread.currentThread();
            }
            all.await(60, TimeUnit.SECONDS);
            final Collective sum = world.prepare(Call.allreduce(8, SUM).by("recursive-doubling"), deadline());
            assertThatThrownBy(() -> {
                        for (int round = 0; round < 3; round++) {
                            sum.run(deadline());
                        }
                    })
                    .isInstanceOf(world.self() == 1 ? Throwable.class : SegnoException.class);
            if (context.rank() == 1) {
                final Geometry left = world.survivors(deadline());
                assertThat(WorldMember.ranks(left)).isEqualTo(List.of(1, 1));
                assertThat(sum.completeAtAll(left, deadline())).isZero();
                WorldMember.requireUsable(left);
            }
        });
    }
}
