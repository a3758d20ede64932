package org.segno.collective;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.file.Path;
import java.util.List;
import java.util.Objects;
import java.util.SplittableRandom;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.segno.combine.ElementType;
import org.segno.context.Client;
import org.segno.context.Context;
import org.segno.context.ContextAccess;
import org.segno.memory.Window;
import org.segno.node.InProcessJob;
import org.segno.node.NodeConfig;
import org.segno.operation.Combine;
import org.segno.status.Deadline;
import org.segno.status.DeadlineException;
import org.segno.status.RefusedException;

/** What geometries keep, and what they are called, after collectives and creations that were closed or have failed. */
@Timeout(120)
class RoomAndNamesTest {
    @TempDir
    Path directory;

    private static long deadline() {
        return InProcessJob.deadline();
    }

    @Test
    void shouldUseAgainWhatWasClosedAlthoughOnlySomeOfTheContextsHaveWork() throws Exception {
        final NodeConfig config =
                WorldMember.config().withContexts(2).withWindows(6).withWindowBytes(3 << 20);
        try (InProcessJob job = InProcessJob.join(directory, 2, config)) {
            job.onThreads(rank -> {
                final Client client = job.node(rank).client();
                final Context[] contexts = {client.context(0), client.context(1)};
                try (Geometry world = Geometry.world(client, contexts, "w", deadline())) {
                    // The first one is long, and has a part in both contexts.
                    for (int i = 0; i < 12; i++) {
                        try (Collective each = world.prepare(
                                Call.allgather(Lengths.equal(i == 0 ? 1 << 17 : Long.BYTES)), deadline())) {
                            assertThat(each.parts()).isEqualTo(i == 0 ? 2 : 1);
                            each.run(deadline());
                        }
                    }
                    world.barrier(deadline());
                }
            });
        }
    }

    @Test
    void shouldKeepNothingOfAnAllToAllWithLengthsWhoseDeadlinePasses() throws Exception {
        try (InProcessJob job = InProcessJob.join(directory, 2, WorldMember.config())) {
            job.onThreads(rank -> {
                final Client client = job.node(rank).client();
                final Context context = client.context();
                final SplittableRandom random = new SplittableRandom(rank);
                for (int i = 0; i < 100; i++) {
                    context.barrier(deadline());
                    final long windows = ContextAccess.freeWindows(client);
                    final long pairs = ContextAccess.freePairs(client);
                    context.barrier(deadline());
                    final Geometry world = Geometry.world(client, context, "w" + i, deadline());
                    final int limitUs = rank == 0 ? 20 + random.nextInt(400) : 2_000;
                    try {
                        world.prepare(
                                        Call.allToAll(Lengths.of(8, 8), Lengths.of(8, 8)),
                                        Deadline.in(limitUs, TimeUnit.MICROSECONDS))
                                .close();
                    } catch (final DeadlineException | RefusedException late) {
                        // The other member's deadline may have passed before.
                        assertThat(late.getSuppressed()).isEmpty();
                    }
                    context.barrier(deadline());
                    world.close();
                    context.await(() -> ContextAccess.closings(client).isEmpty(), deadline());
                    assertThat(ContextAccess.freeWindows(client)).isEqualTo(windows);
                    assertThat(ContextAccess.freePairs(client)).isEqualTo(pairs);
                }
                // The closings of the other member need this one to advance until they have ended.
                context.barrier(deadline());
            });
        }
    }

    @Test
    void shouldFindTheSurvivorsOfEachOfTwoGeometriesThatHadOneName() throws Exception {
        final int dying = 3;
        try (InProcessJob job = InProcessJob.join(directory, dying + 1, WorldMember.config())) {
            job.onThreads(rank -> {
                final Client client = job.node(rank).client();
                final Context context = client.context();
                context.barrier(deadline());
                final Geometry one = rank == 2 ? null : of(client, 0, 1, dying);
                context.barrier(deadline());
                final Geometry other = rank == 1 ? null : of(client, 0, 2, dying);
                context.barrier(deadline());
                if (rank == dying) {
                    die(client);
                    return;
                }
                context.await(() -> context.failure(dying) != null, deadline());
                if (one != null) {
                    survive(one, List.of(0, 1));
                }
                if (other != null) {
                    survive(other, List.of(0, 2));
                }
            });
        }
    }

    private static Geometry of(Client client, int... ranks) {
        return Geometry.of(client, client.context(), "w", ranks, deadline());
    }

    private static void survive(Geometry lost, List<Integer> ranks) {
        final Geometry left = Objects.requireNonNull(lost.survivors(deadline()));
        assertThat(WorldMember.ranks(left)).isEqualTo(ranks);
        WorldMember.requireUsable(left);
    }

    /** An error within an engine ends its node. */
    private static void die(Client client) {
        client.operator(3, new SurvivorsTest.Fatal(true));
        final Window window = client.window(128);
        client.context().combine(window, 0, window, 64, Long.BYTES, Combine.of(ElementType.LONG, 3));
        assertThatThrownBy(() -> client.context().advance()).isInstanceOf(AssertionError.class);
    }
}
