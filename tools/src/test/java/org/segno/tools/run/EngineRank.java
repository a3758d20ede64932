package org.segno.tools.run;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.Stream;
import org.segno.node.JobConfig;
import org.segno.node.Node;
import org.segno.node.NodeConfig;
import org.segno.status.Deadline;

/**
 * Rank with the threading that its argument names. If the engine has a thread, it waits until that is bound to one
 * core, and prints the core.
 */
final class EngineRank {
    private static final String FIELD = "Cpus_allowed_list:";
    private static final long LIMIT_S = 30;
    private static final long LOOK_NS = TimeUnit.MILLISECONDS.toNanos(2);

    private EngineRank() {}

    public static void main(String[] arguments) throws IOException {
        final NodeConfig.Threading threading = NodeConfig.Threading.valueOf(arguments[0]);
        final NodeConfig config = NodeConfig.defaults().withThreading(threading);
        final JobConfig job = JobConfig.fromEnvironment();
        try (Node node = Node.join(job, config)) {
            final long deadlineNs = Deadline.in(LIMIT_S, TimeUnit.SECONDS);
            String cores = cores("segno-dma-" + node.rank());
            while (threading == NodeConfig.Threading.DEDICATED
                    && !cores.matches("\\d+")
                    && !Deadline.reached(deadlineNs)) {
                LockSupport.parkNanos(LOOK_NS);
                cores = cores("segno-dma-" + node.rank());
            }
            System.out.println("engine on " + cores);
        }
    }

    private static String cores(String threadName) throws IOException {
        try (Stream<Path> threads = Files.list(Path.of("/proc/self/task"))) {
            for (final Path thread : threads.toList()) {
                final List<String> name = Files.readAllLines(thread.resolve("comm"));
                if (name.contains(threadName)) {
                    return Files.readAllLines(thread.resolve("status")).stream()
                            .filter(line -> line.startsWith(FIELD))
                            .map(line -> line.substring(FIELD.length()).trim())
                            .findAny()
                            .orElse("");
                }
            }
        }
        return "";
    }
}
