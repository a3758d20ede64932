package org.segno.bench.harness;

import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.segno.bench.experiment.Cores;
import org.segno.bench.experiment.Role;

/** Worker JVM, pinned to one core. */
final class WorkerProcess {
    /**
     * Options of a worker. A JVM that is pinned to one core sees a machine of one core, and chooses the serial
     * collector and fewer compiler threads. The processor count and the collector are therefore set. A heap of fixed
     * size, touched at start, avoids page faults.
     */
    static final List<String> JVM_OPTIONS = List.of(
            "-XX:ActiveProcessorCount=2",
            "-XX:+UseParallelGC",
            "-Xms512m",
            "-Xmx512m",
            "-XX:+AlwaysPreTouch",
            "-XX:-UsePerfData",
            "--add-exports=java.base/jdk.internal.misc=ALL-UNNAMED",
            "--add-exports=java.base/sun.nio.ch=ALL-UNNAMED",
            "--add-opens=java.base/sun.nio.ch=ALL-UNNAMED");

    private WorkerProcess() {}

    /**
     * Starts a worker.
     *
     * @param mainClass main class that passes its arguments to {@link Worker#run}
     * @param place cores and network of the workers
     * @param arguments for {@link Worker#run}
     */
    static Process start(Class<?> mainClass, WorkerPlace place, Role role, List<String> arguments) throws IOException {
        final String core = Integer.toString(place.cores().application(role));
        final List<String> command = new ArrayList<>(place.network().entry(role));
        command.addAll(List.of("taskset", "-c", core, java()));
        command.addAll(JVM_OPTIONS);
        command.add(place.network().option());
        place.cores().engine(role).ifPresent(engine -> command.add(Cores.engineOption(engine)));
        command.addAll(List.of("-cp", System.getProperty("java.class.path"), mainClass.getName()));
        command.addAll(arguments);
        return new ProcessBuilder(command)
                .redirectOutput(ProcessBuilder.Redirect.DISCARD)
                .redirectError(ProcessBuilder.Redirect.INHERIT)
                .start();
    }

    private static String java() {
        return Path.of(System.getProperty("java.home"), "bin", "java").toString();
    }
}
