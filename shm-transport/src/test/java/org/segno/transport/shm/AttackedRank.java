package org.segno.transport.shm;

import java.io.IOException;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.segno.node.JobConfig;
import org.segno.node.Node;
import org.segno.node.NodeConfig;
import org.segno.node.NodeConfig.Threading;
import org.segno.status.Deadline;
import org.segno.transport.shm.AttackedClient.Step;

/**
 * Process of one rank under attack: runs random steps of the public API, catches whatever they throw, closes its node
 * and returns from main. The environment names the job. Ends at the end of its input, so that it does not outlive the
 * test.
 */
final class AttackedRank {
    static final String RUNNING = "running";
    private static final String SLOW = "slow ";
    private static final String CLOSED = "closed ";
    private static final long SLOW_NS = TimeUnit.SECONDS.toNanos(3);
    private static final int ORPHANED = 3;

    private final ExceptionCounts thrown = new ExceptionCounts();
    private final CountDownLatch done = new CountDownLatch(1);
    private final SplittableRandom random;
    private final Thread main = Thread.currentThread();
    private volatile @Nullable String step;
    private volatile long stepStartNs;
    private long stepCount;

    private AttackedRank(long seed) {
        this.random = new SplittableRandom(seed);
    }

    /** Takes the threading of the engine, a seed, the milliseconds of the attack and a directory. */
    public static void main(String[] arguments) {
        daemon(AttackedRank::endWithInput, "input");
        final CanaryMemory canaries = new CanaryMemory();
        final Path directory = Path.of(arguments[3]);
        canaries.map(directory);
        final Node node =
                Node.join(JobConfig.fromEnvironment(), config().withThreading(Threading.valueOf(arguments[0])));
        canaries.map(directory);
        new AttackedRank(Long.parseLong(arguments[1]) + node.rank())
                .run(node, Long.parseLong(arguments[2]), directory.resolve("patterns-" + node.rank()));
        canaries.requireUnharmed();
    }

    private static NodeConfig config() {
        return ScenarioRun.smallNode().withContexts(2).withEngines(2).withEagerLimitBytes(1500);
    }

    private static void daemon(Runnable body, String name) {
        final Thread thread = new Thread(body, name);
        thread.setDaemon(true);
        thread.start();
    }

    private static void endWithInput() {
        try {
            while (System.in.read() >= 0) {
                // The input carries no data.
            }
        } catch (IOException ignored) {
            // Treated as the end of the input.
        }
        Runtime.getRuntime().halt(ORPHANED);
    }

    private void run(Node node, long attackMs, Path file) {
        final AttackedClient own = new AttackedClient(node, random);
        final Map<String, Step> steps = new LinkedHashMap<>();
        new OneSidedSteps(own).addTo(steps);
        final FifoSteps fifos = new FifoSteps(own);
        fifos.addTo(steps);
        new MessageSteps(own).addTo(steps);
        final PatternSteps patterns = new PatternSteps(own, file);
        patterns.addTo(steps);
        new ResourceSteps(own).addTo(steps);
        own.context().barrier(AttackedClient.startDeadline());
        daemon(this::reportSlowSteps, "slow steps");
        print(RUNNING);
        final long deadlineNs = Deadline.in(attackMs, TimeUnit.MILLISECONDS);
        final List<String> names = List.copyOf(steps.keySet());
        while (!Deadline.reached(deadlineNs)) {
            final String name = names.get(random.nextInt(names.size()));
            take(name, steps.get(name));
            take("advance once", () -> own.context().advance());
        }
        take("release", fifos::release);
        take("release", patterns::release);
        take("close", node::close);
        done.countDown();
        thrown.lines().forEach(AttackedRank::print);
        print(CLOSED + "after " + stepCount + " steps");
    }

    private void take(String name, @Nullable Step body) {
        stepStartNs = System.nanoTime();
        step = name;
        try {
            if (body != null) {
                body.run();
            }
        } catch (Throwable e) {
            // The process continues after any exception under attack.
            thrown.add(name, e);
        }
        step = null;
        stepCount++;
    }

    /**
     * Prints the stack of a step that takes much longer than its deadlines allow, once for each such time that passes.
     */
    private void reportSlowSteps() {
        long reportedNs = System.nanoTime();
        try {
            while (!done.await(100, TimeUnit.MILLISECONDS)) {
                final String name = step;
                final long startNs = stepStartNs;
                final long nowNs = System.nanoTime();
                if (name != null && nowNs - startNs > SLOW_NS && nowNs - reportedNs > SLOW_NS) {
                    reportedNs = nowNs;
                    print(SLOW + name + " for " + TimeUnit.NANOSECONDS.toMillis(nowNs - startNs) + " ms at "
                            + List.of(main.getStackTrace()));
                }
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private static void print(String line) {
        synchronized (System.out) {
            System.out.println(line);
            System.out.flush();
        }
    }
}
