package org.segno.collective;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Random;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.segno.context.Client;
import org.segno.node.ClientConfig;
import org.segno.node.InProcessJob;
import org.segno.node.NodeConfig;
import org.segno.node.NodeConfig.Threading;
import org.segno.node.OverMemoryAndLinks;
import org.segno.status.ClosedException;
import org.segno.status.Deadline;

/** Two clients of each node, with geometries of the same names and members, and collectives at the same time. */
@OverMemoryAndLinks
@Timeout(120)
class ClientGeometriesTest {
    private static final int MEMBERS = 3;
    private static final int ROUNDS = 200;

    /** Number of passes within which an engine is quiet twice. */
    private static final int QUIET_PASSES = 128;

    private static final List<String> NAMES = List.of("alpha", "beta");

    @TempDir
    Path directory;

    private static long deadline() {
        return InProcessJob.deadline();
    }

    private static NodeConfig config(Threading threading) {
        return WorldMember.config().withThreading(threading).withContexts(2).withCounters(32, 96);
    }

    private static ClientConfig named(String name) {
        return ClientConfig.named(name).withWindowBytes(1 << 18).withCounters(8, 40);
    }

    /** A client of a rank, with the world of its ranks, and all of them in the opposite order. */
    private static final class Owner {
        /** Different for each client, so that no contribution of one equals one of another. */
        private final long tag;

        private final Client client;
        private final Geometry world;
        private final Geometry reversed;
        private final Collective sum;
        private final Collective broadcast;

        Owner(Client client) {
            this.tag = client.name().hashCode() * 1_000_003L;
            this.client = client;
            this.world = Geometry.world(client, client.context(), "all", deadline());
            this.reversed = Objects.requireNonNull(world.split(0, -world.self(), deadline()));
            this.sum = world.prepare(WorldMember.SUM, deadline());
            this.broadcast = reversed.prepare(Call.broadcast(0, Long.BYTES), deadline());
        }

        void start(long round) {
            sum.input().putLong(0, tag + round * (world.self() + 1));
            assertThat(sum.start()).isEqualTo(round);
            if (reversed.self() == 0) {
                broadcast.input().putLong(0, tag - round);
            }
            assertThat(broadcast.start()).isEqualTo(round);
        }

        /** Advances once, and returns true if the rounds are complete. */
        boolean test() {
            return sum.test() && broadcast.test();
        }

        void await(long round) {
            broadcast.await(deadline());
            if (reversed.self() != 0) {
                assertThat(broadcast.output().getLong(0)).as("%s", client).isEqualTo(tag - round);
            }
            sum.await(deadline());
            assertThat(sum.output().getLong(0))
                    .as("%s", client)
                    .isEqualTo(MEMBERS * tag + round * MEMBERS * (MEMBERS + 1) / 2);
        }

        /** Advances until the engine has been quiet twice, for which closings of other clients wait. */
        void quieten() {
            for (int pass = 0; pass < QUIET_PASSES; pass++) {
                client.context().advance();
            }
        }

        void close() {
            world.barrier(deadline());
            sum.close();
            broadcast.close();
            reversed.close();
            world.close();
        }
    }

    private static List<Owner> open(InProcessJob job, int rank) {
        final List<Owner> owners = new ArrayList<>();
        for (final String name : NAMES) {
            owners.add(new Owner(job.node(rank).openClient(named(name))));
        }
        return owners;
    }

    @ParameterizedTest
    @EnumSource(names = {"INVOKER", "SHARED"})
    void shouldKeepTheCollectivesOfTwoClientsApart(Threading threading) throws Exception {
        try (InProcessJob job = InProcessJob.join(directory, MEMBERS, config(threading))) {
            job.onThreads(rank -> {
                final List<Owner> owners = open(job, rank);
                assertThat(owners.get(0).world.toString())
                        .isEqualTo(owners.get(1).world.toString());
                final Random order = new Random(rank);
                for (int round = 1; round <= ROUNDS; round++) {
                    final int first = order.nextInt(2);
                    owners.get(first).start(round);
                    owners.get(1 - first).start(round);
                    // Only a call of a client's own advances it, and others wait for each of the two.
                    awaitBoth(owners);
                    final int next = order.nextInt(2);
                    owners.get(next).await(round);
                    owners.get(1 - next).await(round);
                }
                owners.forEach(Owner::close);
            });
        }
    }

    private static void awaitBoth(List<Owner> owners) {
        final long deadlineNs = deadline();
        boolean isFirst = false;
        boolean isSecond = false;
        while (!isFirst || !isSecond) {
            assertThat(Deadline.reached(deadlineNs)).isFalse();
            isFirst = owners.get(0).test();
            isSecond = owners.get(1).test();
            WorldMember.yieldCore();
        }
    }

    @Test
    void shouldCarryOutTheCollectivesOfTwoClientsInThreadsOfTheirOwn() throws Exception {
        try (InProcessJob job = InProcessJob.join(directory, MEMBERS, config(Threading.INVOKER))) {
            final ExecutorService threads = Executors.newFixedThreadPool(MEMBERS * NAMES.size());
            final List<Future<?>> ends = new ArrayList<>();
            for (int rank = 0; rank < MEMBERS; rank++) {
                for (final String name : NAMES) {
                    final Client client = job.node(rank).openClient(named(name));
                    ends.add(threads.submit(() -> {
                        final Owner owner = new Owner(client);
                        for (int round = 1; round <= ROUNDS; round++) {
                            owner.start(round);
                            owner.await(round);
                        }
                        owner.close();
                    }));
                }
            }
            for (final Future<?> end : ends) {
                end.get(100, TimeUnit.SECONDS);
            }
            threads.shutdown();
        }
    }

    @Test
    void shouldNotDisturbAClientWhenAnotherOneClosesItsGeometries() throws Exception {
        try (InProcessJob job = InProcessJob.join(directory, MEMBERS, config(Threading.INVOKER))) {
            job.onThreads(rank -> {
                final Client alpha = job.node(rank).openClient(named("alpha"));
                final Owner beta = new Owner(job.node(rank).openClient(named("beta")));
                for (int round = 1; round <= ROUNDS / 10; round++) {
                    final Owner closing = new Owner(alpha);
                    closing.start(1);
                    beta.start(round);
                    closing.await(1);
                    closing.close();
                    // The round of the other client is in progress at some members, and complete at others.
                    beta.await(round);
                    // That may have taken a few passes, and the next creation of the first client makes none of this.
                    beta.quieten();
                }
                final Owner last = new Owner(alpha);
                last.start(1);
                last.await(1);
                last.world.barrier(deadline());
                beta.start(ROUNDS / 10 + 1);
                alpha.close();
                beta.await(ROUNDS / 10 + 1);
                assertThatThrownBy(() -> last.sum.start()).isInstanceOf(ClosedException.class);
                beta.start(ROUNDS / 10 + 2);
                beta.await(ROUNDS / 10 + 2);
                WorldMember.requireUsable(beta.reversed);
                beta.close();
            });
        }
    }
}
