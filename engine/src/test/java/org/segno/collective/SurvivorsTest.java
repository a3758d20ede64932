package org.segno.collective;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.file.Path;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.TimeUnit;
import org.agrona.DirectBuffer;
import org.agrona.MutableDirectBuffer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.segno.combine.ElementType;
import org.segno.combine.UserOperator;
import org.segno.context.Client;
import org.segno.context.Context;
import org.segno.memory.Window;
import org.segno.node.InProcessJob;
import org.segno.node.NodeConfig;
import org.segno.operation.Combine;
import org.segno.status.ClosedException;
import org.segno.status.Deadline;
import org.segno.status.DeadlineException;
import org.segno.status.SegnoException;

/** Geometries of those that are left after a death, whatever the name of the geometry that they leave. */
@Timeout(120)
class SurvivorsTest {
    private static final int DYING = 2;

    /** Geometries of which each is made from the last one. */
    private static final int DEPTH = 60;

    @TempDir
    Path directory;

    /** An operator that ends the node of one rank. */
    record Fatal(boolean isFatal) implements UserOperator {
        @Override
        public void combine(
                ElementType type, DirectBuffer left, DirectBuffer right, MutableDirectBuffer result, int count) {
            if (isFatal) {
                throw new AssertionError("ends this node");
            }
        }

        @Override
        public boolean isCommutative() {
            return true;
        }
    }

    private static long deadline() {
        return InProcessJob.deadline();
    }

    @Test
    void shouldCreateTheGeometryOfTheSurvivorsOfOneNestedDeeply() throws Exception {
        requireSurvivors("all", DEPTH);
    }

    @Test
    void shouldCreateTheGeometryOfTheSurvivorsOfOneWithALongName() throws Exception {
        requireSurvivors("n".repeat(Geometry.MAX_NAME_BYTES), DEPTH);
    }

    /** Two threads of each rank, each with a geometry of the same name and ranks. */
    @Test
    void shouldNotMixTheSurvivorsOfTwoGeometriesWithTheSameName() throws Exception {
        final int dying = 4;
        final CyclicBarrier each = new CyclicBarrier(2 * 3);
        final NodeConfig config = WorldMember.config().withContexts(2).withCounters(64, 64);
        try (InProcessJob job = InProcessJob.join(directory, 3, config)) {
            job.onThreads(2 * 3, thread -> {
                final int rank = thread / 2;
                final Client client = job.node(rank).client();
                final Context context = client.context(thread % 2);
                Geometry world = null;
                for (int turn = 0; turn < 2; turn++) {
                    if (thread % 2 == turn) {
                        world = Geometry.world(client, context, "same", deadline());
                    }
                    each.await(60, TimeUnit.SECONDS);
                }
                if (thread == dying) {
                    client.operator(3, new Fatal(true));
                    final Window window = client.window(128);
                    context.combine(window, 0, window, 64, Long.BYTES, Combine.of(ElementType.LONG, 3));
                    assertThatThrownBy(context::advance).isInstanceOf(AssertionError.class);
                }
                if (rank == 2) {
                    return;
                }
                context.await(() -> context.failure(2) != null, deadline());
                final Geometry left = Objects.requireNonNull(world).survivors(deadline());
                // A sum of both threads' geometries would have another one.
                assertThat(WorldMember.sum(left, 1 + thread % 2)).isEqualTo(2L * (1 + thread % 2));
                left.barrier(deadline());
            });
        }
    }

    private void requireSurvivors(String name, int depth) throws Exception {
        try (InProcessJob job = InProcessJob.join(directory, DYING + 1, WorldMember.config())) {
            job.onThreads(rank -> {
                final Client client = job.node(rank).client();
                client.operator(3, new Fatal(rank == DYING));
                Geometry nested = Geometry.world(client, client.context(), name, deadline());
                for (int i = 0; i < depth; i++) {
                    final Geometry parent = nested;
                    nested = Objects.requireNonNull(parent.split(0, 0, deadline()));
                    parent.close();
                }
                final Call call = Call.allreduce(Long.BYTES, Reduction.of(ElementType.LONG, 3));
                final Collective sum = nested.prepare(call.by("slots"), deadline());
                assertThatThrownBy(() -> runUntilAFailure(sum))
                        .isInstanceOf(rank == DYING ? Throwable.class : SegnoException.class);
                if (rank == DYING) {
                    assertThatThrownBy(sum::close)
                            .isInstanceOf(ClosedException.class)
                            .hasMessageContaining("ended with java.lang.AssertionError: ends this node");
                } else {
                    final Geometry left = nested.survivors(deadline());
                    assertThat(WorldMember.ranks(left)).isEqualTo(List.of(0, 1));
                    WorldMember.requireUsable(left);
                }
            });
        }
    }

    private static void runUntilAFailure(Collective sum) {
        for (int round = 0; round < 2; round++) {
            sum.run(deadline());
        }
    }

    /** A member that leaves before its last round is not there for the others. One that leaves after it is. */
    @Test
    void shouldCloseARoundInProgressOnceAMemberHasLeft() throws Exception {
        try (InProcessJob job = InProcessJob.join(directory, 3, WorldMember.config())) {
            job.onThreads(rank -> {
                final Client client = job.node(rank).client();
                final Context context = client.context();
                final Geometry world = Geometry.world(client, context, "all", deadline());
                final Collective sum = world.prepare(WorldMember.SUM, deadline());
                sum.input().putLong(0, rank);
                sum.run(deadline());
                if (rank == 0) {
                    job.node(rank).close();
                    return;
                }
                context.await(() -> context.failure(0) != null, deadline());
                assertThat(sum.output().getLong(0)).isEqualTo(3);
                assertThat(sum.start()).isEqualTo(2);
                assertThatThrownBy(() -> sum.await(Deadline.in(20, TimeUnit.MILLISECONDS)))
                        .isInstanceOf(DeadlineException.class)
                        .hasMessageContaining("rank 0 is gone");
                assertThatThrownBy(() -> sum.run(Deadline.in(20, TimeUnit.MILLISECONDS)))
                        .isInstanceOf(DeadlineException.class)
                        .hasMessageContaining("rank 0 has left the job");
                sum.close();
                // The engine has given up the round, so that the node can be closed at once.
                context.await(context::isDrained, deadline());
                world.close();
                final Geometry left = Geometry.of(client, context, "left", new int[] {1, 2}, deadline());
                WorldMember.requireUsable(left);
            });
        }
    }
}
