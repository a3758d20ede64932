package org.segno.collective;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import org.agrona.concurrent.UnsafeBuffer;
import org.segno.combine.ElementType;
import org.segno.combine.Operator;
import org.segno.context.Client;
import org.segno.context.Context;
import org.segno.node.InProcessJob;
import org.segno.node.NodeConfig;

/**
 * WorldMember of the world of a job in this process, on a thread of its own.
 *
 * @param client of its rank
 * @param world of all ranks
 */
record WorldMember(Client client, Geometry world) {
    static final Call SUM = Call.allreduce(Long.BYTES, Reduction.of(ElementType.LONG, Operator.SUM));

    /** Test of one member. */
    @FunctionalInterface
    interface Body {
        void run(WorldMember member) throws Exception;
    }

    static NodeConfig config() {
        return NodeConfig.defaults()
                .withThreading(NodeConfig.Threading.INVOKER)
                .withWindowBytes(1 << 20)
                .withPatternBufferBytes(1 << 17);
    }

    /** Runs a test at all members. The world must be usable when it ends. */
    static void run(Path directory, int size, Body body) throws Exception {
        run(directory, Collections.nCopies(size, config()), body);
    }

    /** Runs a test as the other method does, at ranks with different configurations. */
    static void run(Path directory, List<NodeConfig> configs, Body body) throws Exception {
        try (InProcessJob job = InProcessJob.join(directory, configs)) {
            job.onThreads(rank -> {
                final Client client = job.node(rank).client();
                final Geometry world = Geometry.world(client, client.context(), "all", InProcessJob.deadline());
                final WorldMember member = new WorldMember(client, world);
                body.run(member);
                requireUsable(world);
                world.barrier(InProcessJob.deadline());
                world.close();
            });
        }
    }

    /**
     * Runs a test at the first contexts of all ranks, each on a thread of its own.
     *
     * @param members number of all; the last rank may have fewer than the others
     */
    static void runEndpoints(Path directory, int members, int perRank, NodeConfig config, Body body) throws Exception {
        final int ranks = (members + perRank - 1) / perRank;
        final NodeConfig several = config.withContexts(perRank);
        try (InProcessJob job = InProcessJob.join(directory, ranks, several)) {
            final long[] endpoints = new long[members];
            for (int member = 0; member < members; member++) {
                final Client owner = job.node(member / perRank).client();
                endpoints[member] = owner.context(member % perRank).endpoint();
            }
            job.onThreads(members, member -> {
                final Client client = job.node(member / perRank).client();
                final Context context = client.context(member % perRank);
                final Geometry world = Geometry.ofEndpoints(client, context, "all", endpoints, InProcessJob.deadline());
                body.run(new WorldMember(client, world));
                requireUsable(world);
                world.barrier(InProcessJob.deadline());
                world.close();
            });
        }
    }

    /** Lets another thread run: there may be more members than cores. */
    @SuppressWarnings("ThreadPriorityCheck") // Yields, because the other threads need the core.
    static void yieldCore() {
        Thread.yield();
    }

    int self() {
        return world.self();
    }

    /** Carries out an allreduce and checks its result. */
    static void requireUsable(Geometry geometry) {
        final int size = geometry.size();
        assertThat(sum(geometry, geometry.self() + 1)).as("%s", geometry).isEqualTo(size * (size + 1L) / 2);
    }

    /** Returns the sum of the values of all members. */
    static long sum(Geometry geometry, long value) {
        final UnsafeBuffer source = new UnsafeBuffer(new byte[Long.BYTES]);
        final UnsafeBuffer target = new UnsafeBuffer(new byte[Long.BYTES]);
        source.putLong(0, value);
        geometry.run(SUM, source, 0, target, 0, InProcessJob.deadline());
        return target.getLong(0);
    }

    static List<Integer> ranks(Geometry geometry) {
        final List<Integer> ranks = new ArrayList<>();
        for (int member = 0; member < geometry.size(); member++) {
            ranks.add(geometry.rank(member));
        }
        return ranks;
    }
}
