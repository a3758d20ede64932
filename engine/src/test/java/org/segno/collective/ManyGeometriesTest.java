package org.segno.collective;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Objects;
import java.util.Random;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.segno.context.Client;
import org.segno.context.ContextAccess;
import org.segno.node.InProcessJob;
import org.segno.node.NodeConfig;
import org.segno.node.OverMemoryAndLinks;
import org.segno.status.Deadline;

/**
 * Thousands of geometries, by splits, ranges and lists of the world and of each other, which members close in different
 * orders. There are counters and windows for a few of them at a time.
 */
@OverMemoryAndLinks
@Timeout(300)
class ManyGeometriesTest {
    private static final int MEMBERS = 4;
    private static final int GEOMETRIES = 3_000;
    private static final int MORE_GEOMETRIES = 20_000;
    private static final int MANY_RANKS = 64;
    private static final int ROW = 8;

    /** Number of geometries from which others are created. */
    private static final int PARENTS = 6;

    /** Bound of the geometries that a member has yet to close. */
    private static final int UNCLOSED = 4;

    @TempDir
    Path directory;

    /** Returns the number of ranks of a large world, a multiple of {@link #ROW}. */
    int manyRanks() {
        return MANY_RANKS;
    }

    private static long deadline() {
        return InProcessJob.deadline();
    }

    /**
     * A geometry as all members know it.
     *
     * @param ranks of its members
     * @param own the part of this member, null if it is not among them
     */
    private record Known(List<Integer> ranks, @Nullable Geometry own) {}

    /** One member. The order of what all members do follows from one seed, that of its closes from another. */
    private static final class Creator {
        private final int rank;
        private final Random common;
        private final Random own;
        private final List<Known> parents = new ArrayList<>();
        private final List<Geometry> unclosed = new ArrayList<>();
        private int created;

        Creator(Geometry world, long seed) {
            this.rank = world.rank(world.self());
            this.common = new Random(seed);
            this.own = new Random(seed + 1 + rank);
            parents.add(new Known(WorldMember.ranks(world), world));
        }

        void run(int geometries) {
            while (created < geometries) {
                create(parents.get(common.nextInt(parents.size())));
                while (parents.size() > PARENTS) {
                    final Geometry geometry = parents.remove(1 + common.nextInt(PARENTS)).own;
                    if (geometry != null) {
                        unclosed.add(geometry);
                    }
                }
                while (unclosed.size() > own.nextInt(UNCLOSED)) {
                    unclosed.remove(own.nextInt(unclosed.size())).close();
                }
            }
            parents.stream().skip(1).forEach(each -> {
                if (each.own != null) {
                    unclosed.add(each.own);
                }
            });
            Collections.shuffle(unclosed, own);
            unclosed.forEach(Geometry::close);
        }

        private void create(Known parent) {
            final int size = parent.ranks.size();
            final int first = common.nextInt(size);
            final int count = 1 + common.nextInt(size - first);
            switch (common.nextInt(3)) {
                case 0 -> split(parent, 1 + first);
                case 1 -> {
                    final int[] range = IntStream.range(first, first + count).toArray();
                    add(
                            parent,
                            range,
                            parent.own == null ? null : parent.own.range(first, first + count - 1, deadline()));
                }
                default -> {
                    final int[] list = shuffled(size, count);
                    add(parent, list, parent.own == null ? null : parent.own.of(list, deadline()));
                }
            }
        }

        private int[] shuffled(int size, int count) {
            final List<Integer> members =
                    new ArrayList<>(IntStream.range(0, size).boxed().toList());
            Collections.shuffle(members, common);
            return members.stream().limit(count).mapToInt(member -> member).toArray();
        }

        /** Splits a geometry, in the opposite order of its members. */
        private void split(Known parent, int colours) {
            final Geometry geometry = parent.own;
            final Geometry part =
                    geometry == null ? null : geometry.split(geometry.self() % colours, -geometry.self(), deadline());
            for (int colour = 0; colour < Math.min(colours, parent.ranks.size()); colour++) {
                final int of = colour;
                final int[] members = IntStream.range(0, parent.ranks.size())
                        .map(i -> parent.ranks.size() - 1 - i)
                        .filter(member -> member % colours == of)
                        .toArray();
                final boolean isOwn = geometry != null && geometry.self() % colours == colour;
                add(parent, members, isOwn ? part : null);
            }
        }

        private void add(Known parent, int[] members, @Nullable Geometry geometry) {
            final List<Integer> ranks =
                    Arrays.stream(members).mapToObj(parent.ranks::get).toList();
            assertThat(geometry != null).isEqualTo(ranks.contains(rank));
            if (geometry != null) {
                assertThat(WorldMember.ranks(geometry)).isEqualTo(ranks);
                WorldMember.requireUsable(geometry);
            }
            parents.add(new Known(ranks, geometry));
            created++;
        }
    }

    @Test
    void shouldCreateAndCloseThousandsInAnyOrderWithoutALeak() throws Exception {
        create(GEOMETRIES);
    }

    @Test
    @Tag("long")
    void shouldCreateAndCloseManyThousandsInAnyOrderWithoutALeak() throws Exception {
        create(MORE_GEOMETRIES);
    }

    private void create(int geometries) throws Exception {
        final NodeConfig config =
                WorldMember.config().withCounters(16, 64).withWindows(32).withWindowBytes(1 << 17);
        WorldMember.run(directory, Collections.nCopies(MEMBERS, config), member -> {
            WorldMember.requireUsable(member.world());
            final Client client = member.client();
            final long pairs = ContextAccess.freePairs(client);
            final long windows = ContextAccess.freeWindows(client);
            new Creator(member.world(), 7).run(geometries);
            final long deadlineNs = deadline();
            while (ContextAccess.freePairs(client) != pairs || ContextAccess.freeWindows(client) != windows) {
                assertThat(Deadline.reached(deadlineNs))
                        .as("%d of %d pairs are free", ContextAccess.freePairs(client), pairs)
                        .isFalse();
                client.context().advance();
                WorldMember.yieldCore();
            }
        });
    }

    @Test
    void shouldDivideTheWorldOfManyRanksInOneProcess() throws Exception {
        final int size = manyRanks();
        WorldMember.run(directory, size, member -> {
            final Geometry world = member.world();
            WorldMember.requireUsable(world);
            world.barrier(deadline());
            final Geometry row = Objects.requireNonNull(world.split(member.self() / ROW, 0, deadline()));
            final Geometry column = Objects.requireNonNull(world.split(member.self() % ROW, 0, deadline()));
            assertThat(row.size()).isEqualTo(ROW);
            assertThat(column.size()).isEqualTo(size / ROW);
            row.barrier(deadline());
            // The sum of all rows at each of their members, and then of the whole world.
            final long sum = WorldMember.sum(row, member.self());
            assertThat(sum).isEqualTo(ROW * (member.self() / ROW * (long) ROW) + ROW * (ROW - 1L) / 2);
            assertThat(WorldMember.sum(column, sum)).isEqualTo(size * (size - 1L) / 2);
            world.barrier(deadline());
            row.close();
            column.close();
        });
    }
}
