package org.segno.node;

import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletionService;
import java.util.concurrent.ExecutorCompletionService;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.BooleanSupplier;
import java.util.function.IntSupplier;
import java.util.function.LongSupplier;
import java.util.function.Supplier;
import org.segno.context.Context;
import org.segno.context.ContextAccess;
import org.segno.status.Deadline;

/** Job of nodes that all run in this process, on this thread; closes them in order. */
public final class InProcessJob implements AutoCloseable {
    private static final int IDLE_STEPS = 4;
    private static final long FULL_NS = 500_000_000;
    private static final long NETWORK_QUIET_NS = TimeUnit.MILLISECONDS.toNanos(20);

    /** Longer than an acknowledgement is delayed. */
    private static final long QUIET_NS = TimeUnit.MICROSECONDS.toNanos(100);

    private final List<Node> nodes;

    private InProcessJob(List<Node> nodes) {
        this.nodes = nodes;
    }

    /** Joins {@code size} ranks in a job directory below {@code parent}. */
    public static InProcessJob join(Path parent, int size, NodeConfig config) {
        final List<JobConfig> jobs = new ArrayList<>();
        for (int rank = 0; rank < size; rank++) {
            jobs.add(JobConfig.of("test-00000000000000aa", rank, size)
                    .withDirectory(parent)
                    .withJoinTimeout(Duration.ofSeconds(30)));
        }
        return new InProcessJob(Node.joinAll(jobs, config));
    }

    /** Joins one rank for each configuration: nodes of one job need not be alike. */
    public static InProcessJob join(Path parent, List<NodeConfig> configs) {
        final List<NodeJoin> joinings = new ArrayList<>();
        for (int rank = 0; rank < configs.size(); rank++) {
            joinings.add(new NodeJoin(
                    JobConfig.of("test-00000000000000aa", rank, configs.size())
                            .withDirectory(parent)
                            .withJoinTimeout(Duration.ofSeconds(30)),
                    configs.get(rank)));
        }
        final List<Node> nodes = new ArrayList<>();
        try {
            joinings.forEach(NodeJoin::makeFile);
            joinings.forEach(NodeJoin::mapPeers);
            joinings.forEach(joining -> nodes.add(joining.finish()));
        } catch (final RuntimeException e) {
            joinings.forEach(NodeJoin::giveUp);
            throw e;
        }
        return new InProcessJob(nodes);
    }

    public Node node(int rank) {
        return nodes.get(rank);
    }

    public Context context(int rank) {
        return nodes.get(rank).client().context();
    }

    /** Returns a deadline that only a hanging test reaches. */
    public static long deadline() {
        return Deadline.in(30, TimeUnit.SECONDS);
    }

    /** Advances every node until all have nothing to do. */
    public void settle() {
        settle(this::advance);
    }

    /**
     * Takes steps until none has had anything to do for longer than acknowledgements are delayed; over a network, for
     * longer than it takes to join links and to repeat lost datagrams.
     *
     * @param step advances all that takes part, and returns the amount of work done
     */
    public static void settle(IntSupplier step) {
        final String transport = System.getProperty(NodeSetting.TRANSPORT.property(), NodeFiles.MAPPED);
        final long quietNs = transport.equals(NodeFiles.NETWORK) ? NETWORK_QUIET_NS : QUIET_NS;
        long workedNs = System.nanoTime();
        int idleSteps = 0;
        // A step that has only sent credit or acknowledgements has done no work, but others have more to do by it. So
        // steps count once the time has passed, which another thread may have had.
        while (idleSteps < IDLE_STEPS) {
            final boolean isQuiet = System.nanoTime() - workedNs >= quietNs;
            if (step.getAsInt() != 0) {
                workedNs = System.nanoTime();
                idleSteps = 0;
            } else if (isQuiet) {
                idleSteps++;
            }
        }
    }

    /**
     * Sends until nothing is accepted for half a second. The engine of a peer that does not advance is run now and then
     * if links reach it, and provides lanes, which nobody empties.
     *
     * @param send returns a code below zero if there is no room
     */
    static void fill(Context context, LongSupplier send) {
        long sentNs = System.nanoTime();
        while (System.nanoTime() - sentNs < FULL_NS) {
            sentNs = send.getAsLong() >= 0 ? System.nanoTime() : sentNs;
            context.advance();
        }
    }

    /** Advances every node once. Returns the amount of work done. */
    public int advance() {
        int work = 0;
        for (final Node node : nodes) {
            work += node.client().context().advance();
        }
        return work;
    }

    /** Advances every node until {@code condition} holds: over a network nothing may have to be done before. */
    public void advanceUntil(BooleanSupplier condition) {
        final long deadlineNs = deadline();
        while (!condition.getAsBoolean()) {
            if (Deadline.reached(deadlineNs)) {
                throw new AssertionError("all nodes were advanced until the deadline, and the condition does not hold");
            }
            advance();
        }
    }

    /** Returns the result of an action for which a rank has to advance, as a lookup over links: a thread does so. */
    public <T> T whileAdvancing(int rank, Supplier<T> action) {
        final AtomicBoolean isDone = new AtomicBoolean();
        final Thread advancing = new Thread(() -> {
            while (!isDone.get()) {
                context(rank).advance();
            }
        });
        advancing.start();
        try {
            return action.get();
        } finally {
            isDone.set(true);
            join(advancing);
        }
    }

    private static void join(Thread thread) {
        try {
            thread.join();
        } catch (final InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    /** Body of one rank's thread. */
    @FunctionalInterface
    public interface Body {
        void run(int rank) throws Exception;
    }

    /** Runs {@code body} for every rank on its own thread, and throws the first exception of any of them. */
    public void onThreads(Body body) throws Exception {
        onThreads(nodes.size(), body);
    }

    /** Runs the body on a number of threads, with the number of each in place of a rank, as the other method does. */
    public void onThreads(int count, Body body) throws Exception {
        final ExecutorService threads = Executors.newFixedThreadPool(count);
        final CompletionService<Void> ends = new ExecutorCompletionService<>(threads);
        try {
            for (int thread = 0; thread < count; thread++) {
                final int self = thread;
                ends.submit(() -> {
                    body.run(self);
                    return null;
                });
            }
            for (int ended = 0; ended < count; ended++) {
                ends.take().get();
            }
        } finally {
            // Ends the waits of those that are left when one has failed.
            nodes.forEach(node -> ContextAccess.close(node.client(), "the test is over"));
            threads.shutdown();
            if (!threads.awaitTermination(30, TimeUnit.SECONDS)) {
                threads.shutdownNow();
            }
        }
    }

    @Override
    public void close() {
        nodes.forEach(Node::close);
    }
}
