package org.segno.collective;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import java.util.Random;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.segno.context.Client;
import org.segno.memory.Closing;
import org.segno.node.ClientConfig;
import org.segno.node.InProcessJob;
import org.segno.node.NodeConfig;
import org.segno.node.OverMemoryAndLinks;
import org.segno.status.ClosedException;

/** Creating, dividing and closing geometries. */
@OverMemoryAndLinks
@Timeout(120)
class GeometryTest {
    private static final int USES = 30;

    @TempDir
    Path directory;

    private static long deadline() {
        return InProcessJob.deadline();
    }

    private static Geometry split(Geometry geometry, int colour, int key) {
        return Objects.requireNonNull(geometry.split(colour, key, deadline()));
    }

    @Test
    void shouldOrderTheMembersOfASplitByKeyAndEqualKeysByNumber() throws Exception {
        final int[] colours = {0, 7, 0, -1, 0};
        final int[] keys = {5, 0, -1, 0, 5};
        WorldMember.run(directory, 5, member -> {
            final Geometry part = member.world().split(colours[member.self()], keys[member.self()], deadline());
            if (member.self() == 3) {
                assertThat(part).isNull();
                return;
            }
            assertThat(WorldMember.ranks(Objects.requireNonNull(part)))
                    .isEqualTo(member.self() == 1 ? List.of(1) : List.of(2, 0, 4));
            assertThat(part.rank(part.self())).isEqualTo(member.self());
            WorldMember.requireUsable(part);
            part.close();
        });
    }

    @Test
    void shouldUseTheRoomOfAWorldThatWasClosed() throws Exception {
        // Two worlds of four do not fit into one page.
        final NodeConfig config = WorldMember.config().withWindowBytes(1 << 12);
        try (InProcessJob job = InProcessJob.join(directory, 4, config)) {
            job.onThreads(rank -> {
                final Client client = job.node(rank).client();
                for (int use = 0; use < USES; use++) {
                    final Geometry world = Geometry.world(client, client.context(), "use." + use, deadline());
                    WorldMember.requireUsable(world);
                    world.close();
                }
            });
        }
    }

    @Test
    void shouldCreateGeometriesOfOneMember() throws Exception {
        WorldMember.run(directory, 3, member -> {
            final Geometry alone = split(member.world(), member.self(), 0);
            assertThat(WorldMember.ranks(alone)).containsExactly(member.self());
            for (final CollectiveKind kind : CollectiveKind.values()) {
                final Reduction reduction = kind.isReduction() ? WorldMember.SUM.reduction() : null;
                final Call call = new Call(kind, 0, Lengths.equal(64), null, reduction, null, 0, null, 0, "", false);
                alone.run(kind == CollectiveKind.BARRIER ? Call.barrier() : call, deadline());
            }
            WorldMember.requireUsable(alone);
            WorldMember.requireUsable(Objects.requireNonNull(alone.range(0, 0, deadline())));
        });
    }

    @Test
    void shouldKeepTheGivenOrderOfMembers() throws Exception {
        WorldMember.run(directory, 4, member -> {
            final Geometry some = member.world().of(new int[] {3, 1, 0}, deadline());
            assertThat(some == null).isEqualTo(member.self() == 2);
            if (some != null) {
                assertThat(WorldMember.ranks(some)).containsExactly(3, 1, 0);
                WorldMember.requireUsable(some);
            }
            assertThat(member.world().of(new int[0], deadline())).isNull();
        });
    }

    @Test
    void shouldCreateTheGeometryOfARange() throws Exception {
        WorldMember.run(directory, 4, member -> {
            final Geometry middle = member.world().range(1, 2, deadline());
            assertThat(middle == null).isEqualTo(member.self() == 0 || member.self() == 3);
            if (middle != null) {
                assertThat(WorldMember.ranks(middle)).containsExactly(1, 2);
                WorldMember.requireUsable(middle);
            }
        });
    }

    @Test
    void shouldRejectMembersThatDoNotExistOrAreGivenTwice() throws Exception {
        WorldMember.run(directory, 3, member -> {
            for (final int[] invalid : new int[][] {{0, 1, 0}, {3}, {-1, 0}}) {
                assertThatThrownBy(() -> member.world().of(invalid, deadline()))
                        .isInstanceOf(IllegalArgumentException.class)
                        .hasMessageContaining("members must be different, from 0 to 2");
                WorldMember.requireUsable(member.world());
            }
            assertThatThrownBy(() -> member.world().range(0, 1 << 20, deadline()))
                    .isInstanceOf(IllegalArgumentException.class)
                    .hasMessage("members must be different, from 0 to 2: first=0 last=1048576");
            WorldMember.requireUsable(member.world());
        });
    }

    @Test
    void shouldRejectRanksThatAreNotOfTheClientOrAreGivenTwice() throws Exception {
        WorldMember.run(directory, 2, member -> {
            final Client client = member.client();
            final int self = member.self();
            for (final int[] invalid : new int[][] {{self, 77}, {self, -1}, {self, self}, {1 - self}, {}}) {
                assertThatThrownBy(() -> Geometry.of(client, client.context(), "some", invalid, deadline()))
                        .isInstanceOf(IllegalArgumentException.class)
                        .hasMessage("members must be different ranks of the client, with rank " + self
                                + " among them: members=" + Arrays.toString(invalid));
            }
        });
    }

    @Test
    void shouldDivideGeometriesAgain() throws Exception {
        WorldMember.run(directory, 4, member -> {
            final Geometry half = split(member.world(), member.self() / 2, -member.self());
            final Geometry quarter = split(half, half.self(), 0);
            final Geometry reversed = split(half, 0, -half.self());
            assertThat(WorldMember.ranks(half)).isEqualTo(member.self() < 2 ? List.of(1, 0) : List.of(3, 2));
            assertThat(WorldMember.ranks(quarter)).containsExactly(member.self());
            assertThat(WorldMember.ranks(reversed)).isEqualTo(member.self() < 2 ? List.of(0, 1) : List.of(2, 3));
            // A geometry does not need the one that it was made from.
            half.close();
            WorldMember.requireUsable(quarter);
            WorldMember.requireUsable(reversed);
        });
    }

    @Test
    void shouldCarryOutCollectivesOfDifferentMembersAtTheSameTime() throws Exception {
        WorldMember.run(directory, 4, member -> {
            final int self = member.self();
            final List<Geometry> all = new ArrayList<>();
            all.add(member.world());
            all.add(split(member.world(), self / 2, 0));
            all.add(split(member.world(), self % 2, 0));
            all.add(split(member.world(), Math.min(self, 1), self));
            final List<Collective> sums = new ArrayList<>();
            for (final Geometry geometry : all) {
                sums.add(geometry.prepare(WorldMember.SUM, deadline()));
            }
            final Random order = new Random(self);
            for (int round = 1; round <= 200; round++) {
                for (int i = 0; i < all.size(); i++) {
                    sums.get(i).input().putLong(0, (round + i) << self);
                    assertThat(sums.get(i).start()).isEqualTo(round);
                }
                final List<Integer> left = new ArrayList<>(List.of(0, 1, 2, 3));
                while (!left.isEmpty()) {
                    final int i = left.remove(order.nextInt(left.size()));
                    sums.get(i).await(deadline());
                    final long factor = WorldMember.ranks(all.get(i)).stream()
                            .mapToLong(rank -> 1L << rank)
                            .sum();
                    assertThat(sums.get(i).output().getLong(0)).isEqualTo((round + i) * factor);
                }
            }
        });
    }

    @Test
    void shouldCreateTheWorldAgainUnderTheSameNameRightAfterItsClose() throws Exception {
        WorldMember.run(directory, 3, member -> {
            for (int times = 0; times < 50; times++) {
                final Geometry again =
                        Geometry.world(member.client(), member.client().context(), "again", deadline());
                WorldMember.requireUsable(again);
                again.close();
                again.close();
            }
        });
    }

    @Test
    void shouldRefuseUseAfterItsClose() throws Exception {
        WorldMember.run(directory, 2, member -> {
            final Geometry half = split(member.world(), 0, 0);
            half.barrier(deadline());
            final Collective recorded = half.collective(WorldMember.SUM, deadline());
            half.close();
            final List<ThrowingCallable> uses = List.of(
                    () -> half.barrier(deadline()),
                    () -> half.prepare(WorldMember.SUM, deadline()),
                    () -> half.split(0, 0, deadline()),
                    () -> half.of(new int[] {5}, deadline()),
                    () -> half.range(0, 1, deadline()),
                    () -> WorldMember.sum(half, 1));
            for (final ThrowingCallable use : uses) {
                assertThatThrownBy(use)
                        .isInstanceOf(IllegalStateException.class)
                        .hasMessage("geometry all.1 of 2 members is closed");
            }
            assertThatThrownBy(recorded::start)
                    .isInstanceOf(IllegalStateException.class)
                    .hasMessageContaining("closed");
        });
    }

    @Test
    void shouldNameTheClosedClientInEveryUseAndCloseNothingMore() throws Exception {
        final NodeConfig config = WorldMember.config().withContexts(2);
        try (InProcessJob job = InProcessJob.join(directory, 2, config)) {
            job.onThreads(rank -> {
                final Client library = job.node(rank)
                        .openClient(ClientConfig.named("library")
                                .withWindowBytes(1 << 18)
                                .withCounters(4, 40));
                final Geometry world = Geometry.world(library, library.context(), "all", deadline());
                final Collective sum = world.prepare(WorldMember.SUM, deadline());
                sum.run(deadline());
                WorldMember.requireUsable(world);
                world.barrier(deadline());
                final Closing end = library.close();
                requireClosed(rank, world, sum);
                final Client own = job.node(rank).client();
                own.await(end, own.context(), deadline());
                requireClosed(rank, world, sum);
            });
        }
    }

    private static void requireClosed(int rank, Geometry world, Collective sum) {
        final List<ThrowingCallable> uses = List.of(
                () -> world.barrier(deadline()),
                () -> world.run(WorldMember.SUM, deadline()),
                () -> WorldMember.sum(world, 1),
                () -> world.prepare(WorldMember.SUM, deadline()),
                () -> world.collective(WorldMember.SUM, deadline()),
                () -> world.split(0, 0, deadline()),
                () -> world.of(new int[] {0}, deadline()),
                sum::start,
                sum::queue,
                sum::test,
                sum::isComplete,
                () -> sum.await(deadline()),
                () -> sum.run(deadline()),
                () -> sum.onRound(null),
                sum::input,
                sum::output);
        for (int i = 0; i < uses.size(); i++) {
            assertThatThrownBy(uses.get(i))
                    .as("use %d", i)
                    .isInstanceOf(ClosedException.class)
                    .hasMessageContaining("client \"library\" of rank " + rank + " was closed");
        }
        sum.close();
        world.close();
    }

    @Test
    void shouldCloseItsCollectivesUnlessOneIsInProgress() throws Exception {
        WorldMember.run(directory, 2, member -> {
            final Geometry part = Objects.requireNonNull(member.world().split(0, 0, deadline()));
            final Collective prepared = part.prepare(WorldMember.SUM, deadline());
            final Collective barrier = part.prepare(Call.barrier(), deadline());
            prepared.run(deadline());
            member.world().barrier(deadline());
            if (member.self() == 0) {
                assertThat(barrier.start()).isEqualTo(1);
                assertThatThrownBy(part::close)
                        .isInstanceOf(IllegalStateException.class)
                        .hasMessageContaining("is in progress: await it before closing it");
            }
            member.world().barrier(deadline());
            prepared.run(deadline());
            if (member.self() == 0) {
                barrier.await(deadline());
            } else {
                barrier.run(deadline());
            }
            member.world().barrier(deadline());
            part.close();
            assertThatThrownBy(prepared::start)
                    .isInstanceOf(IllegalStateException.class)
                    .hasMessageContaining("is closed");
            prepared.close();
            barrier.close();
        });
    }

    @Test
    void shouldRefuseTheContextOfAnotherClient() throws Exception {
        final NodeConfig config = WorldMember.config().withContexts(2);
        try (InProcessJob job = InProcessJob.join(directory, 2, config)) {
            job.onThreads(rank -> {
                final Client own = job.node(rank).client();
                final Client library = job.node(rank)
                        .openClient(ClientConfig.named("library")
                                .withWindowBytes(1 << 16)
                                .withCounters(4, 20));
                assertThatThrownBy(() -> Geometry.world(library, own.context(), "all", deadline()))
                        .isInstanceOf(IllegalArgumentException.class)
                        .hasMessage("context 0 of rank " + rank + " belongs to the node's own client: use a context of"
                                + " client \"library\" of rank " + rank + ", as returned by its Client.context");
                assertThatThrownBy(() -> Geometry.world(own, library.context(), "all", deadline()))
                        .isInstanceOf(IllegalArgumentException.class)
                        .hasMessageEndingWith("use a context of the node's own client of rank " + rank
                                + ", as returned by its Client.context");
            });
        }
    }
}
