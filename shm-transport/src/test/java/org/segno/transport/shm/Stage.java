package org.segno.transport.shm;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.segno.job.JobConfig;
import org.segno.node.Node;
import org.segno.node.NodeConfig;
import org.segno.status.Deadline;

/** What a {@link Part} works with: its ranks, its arguments, and a line each way to the test. */
final class Stage {
    private static final int PATIENCE_S = 30;

    private final Casting casting;
    private final Consumer<String> lines;
    private final BlockingQueue<String> cues;

    Stage(Casting casting, Consumer<String> lines, BlockingQueue<String> cues) {
        this.casting = casting;
        this.lines = lines;
        this.cues = cues;
    }

    /** What the part does with each of its nodes, on a thread of its own. */
    @FunctionalInterface
    interface NodePart {
        void play(Node node) throws Exception;
    }

    /** A deadline that only a hanging test reaches. */
    static long deadline() {
        return Deadline.in(PATIENCE_S, TimeUnit.SECONDS);
    }

    /** A small node with room for a few windows. */
    static NodeConfig smallNode() {
        return NodeConfig.defaults()
                .withFifoSlots(64)
                .withPatternBufferBytes(1 << 15)
                .withPatterns(64)
                .withRunSlots(64)
                .withCounters(32, 64)
                .withLaneBudgetBytes(1 << 16)
                .withWindowBytes(1 << 18);
    }

    NodeConfig config() {
        return smallNode().withThreading(casting.threading());
    }

    JobConfig job() {
        return casting.jobs().get(0);
    }

    String argument(int index) {
        return casting.arguments().get(index);
    }

    int number(int index) {
        return Integer.parseInt(argument(index));
    }

    void say(String line) {
        lines.accept(line);
    }

    /** Waits for the test's word to go on. */
    void awaitCue() throws InterruptedException {
        if (cues.poll(PATIENCE_S, TimeUnit.SECONDS) == null) {
            throw new IllegalStateException("no cue came");
        }
    }

    /** True once the test's word to go on has come; only once. */
    boolean isCued() {
        return cues.poll() != null;
    }

    /** Joins as the first of the part's ranks. */
    Node join() {
        return join(config());
    }

    Node join(NodeConfig config) {
        return Node.join(job(), config);
    }

    /** Joins as all ranks of the part and plays each on its own thread, which closes its node. */
    void onEachNode(NodePart part) throws InterruptedException {
        onEachNode(config(), part);
    }

    void onEachNode(NodeConfig config, NodePart part) throws InterruptedException {
        final List<Thread> threads = new ArrayList<>();
        for (final Node node : Node.joinAll(casting.jobs(), config)) {
            threads.add(new Thread(() -> play(node, part), "rank " + node.rank()));
        }
        threads.forEach(Thread::start);
        for (final Thread thread : threads) {
            thread.join();
        }
    }

    private void play(Node node, NodePart part) {
        try (node) {
            part.play(node);
        } catch (Throwable e) {
            say(PartProcess.failure(e));
        }
    }
}
