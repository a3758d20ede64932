package org.segno.transport.shm;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.segno.node.JobConfig;
import org.segno.node.Node;
import org.segno.node.NodeConfig;
import org.segno.status.Deadline;

/** Run of a {@link Scenario}: its ranks and arguments, a line to the test, and a signal from the test. */
final class ScenarioRun {
    private static final int TIMEOUT_S = 30;

    private final ScenarioRequest request;
    private final Consumer<String> lines;
    private final BlockingQueue<String> signals;

    ScenarioRun(ScenarioRequest request, Consumer<String> lines, BlockingQueue<String> signals) {
        this.request = request;
        this.lines = lines;
        this.signals = signals;
    }

    /** Scenario of one node, on a thread of its own. */
    @FunctionalInterface
    interface NodeScenario {
        void run(Node node) throws Exception;
    }

    /** Returns a deadline that only a hanging test reaches. */
    static long deadline() {
        return Deadline.in(TIMEOUT_S, TimeUnit.SECONDS);
    }

    /** Returns the settings of a small node with room for a few windows. */
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
        return smallNode().withThreading(request.threading());
    }

    JobConfig job() {
        return request.jobs().get(0);
    }

    String argument(int index) {
        return request.arguments().get(index);
    }

    int number(int index) {
        return Integer.parseInt(argument(index));
    }

    void print(String line) {
        lines.accept(line);
    }

    /** Waits for the test's signal. */
    void awaitSignal() throws InterruptedException {
        if (signals.poll(TIMEOUT_S, TimeUnit.SECONDS) == null) {
            throw new IllegalStateException("no signal arrived");
        }
    }

    /** Returns true once for each signal of the test. */
    boolean isSignalled() {
        return signals.poll() != null;
    }

    /** Joins as the first rank of the scenario. */
    Node join() {
        return join(config());
    }

    Node join(NodeConfig config) {
        return Node.join(job(), config);
    }

    /** Joins as all ranks of the scenario and runs each on its own thread, which closes its node. */
    void onEachNode(NodeScenario scenario) throws InterruptedException {
        onEachNode(config(), scenario);
    }

    void onEachNode(NodeConfig config, NodeScenario scenario) throws InterruptedException {
        final List<Thread> threads = new ArrayList<>();
        for (final Node node : Node.joinAll(request.jobs(), config)) {
            threads.add(new Thread(() -> run(node, scenario), "rank " + node.rank()));
        }
        threads.forEach(Thread::start);
        for (final Thread thread : threads) {
            thread.join();
        }
    }

    private void run(Node node, NodeScenario scenario) {
        try (node) {
            scenario.run(node);
        } catch (Throwable e) {
            print(ScenarioMain.failure(e));
        }
    }
}
