package org.segno.tools.run;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.segno.tools.SegnoProcess;
import org.segno.tools.process.ShellWords;
import org.segno.tools.program.Java;
import org.segno.tools.program.Program;

/**
 * Several hosts that are all this one. A remote shell starts their agents here, without the variables of the launcher,
 * as {@code ssh} does. Directories of jobs have one parent.
 */
final class TestHosts {
    private static final String SHELL = """
            #!/bin/sh
            echo "$1 $$" >> "$(dirname "$0")/agents"
            shift
            exec env -i PATH="$PATH" "$@"
            """;

    private final Path directory;
    private final Path jobs;

    private TestHosts(Path directory, Path jobs) {
        this.directory = directory;
        this.jobs = jobs;
    }

    /** Makes the remote shell and the parent of job directories in a directory. */
    static TestHosts in(Path directory) throws IOException {
        final TestHosts hosts = new TestHosts(directory, Files.createDirectory(directory.resolve("jobs")));
        hosts.script("rsh", SHELL);
        return hosts;
    }

    /** Makes an executable file in the directory. */
    void script(String name, String text) throws IOException {
        final Path file = Files.writeString(directory.resolve(name), text);
        Files.setPosixFilePermissions(file, PosixFilePermissions.fromString("rwxr-xr-x"));
    }

    /** Returns the parent of job directories. */
    Path jobs() {
        return jobs;
    }

    /** Starts {@code segno} with these words. */
    SegnoProcess start(String... arguments) throws IOException {
        final Map<String, String> environment = new HashMap<>(Map.of("SEGNO_DIR", jobs.toString()));
        if (!List.of(arguments).contains("--net")) {
            // All hosts are this machine, whose network may be absent or change.
            environment.put("SEGNO_HUB", "127.0.0.1");
        }
        return SegnoProcess.start(environment, arguments);
    }

    /** Starts {@code segno run} with the remote shell of this directory that has the name. */
    SegnoProcess runWith(String shell, String... arguments) throws IOException {
        return start(Stream.concat(Stream.of("run", "--rsh", path(shell)), Stream.of(arguments))
                .toArray(String[]::new));
    }

    /** Starts {@code segno run} with agents on this host. */
    SegnoProcess run(String... arguments) throws IOException {
        return runWith("rsh", arguments);
    }

    /** Returns the path of a file in the directory. */
    String path(String name) {
        return directory.resolve(name).toString();
    }

    /** Returns the process ids of the agents, in the order of their start. */
    List<String> agents() throws IOException {
        final List<String> pids = new ArrayList<>();
        for (final String line : Files.readAllLines(directory.resolve("agents"))) {
            pids.add(line.substring(line.indexOf(' ') + 1));
        }
        return pids;
    }

    /** Returns the words of a test's main class that ignores TERM: what else ends it is then visible. */
    static String[] ignoringTerm(Class<?> main, String... arguments) {
        final String command =
                ShellWords.join(Program.main(System.getProperty("java.class.path"), main.getName(), List.of(arguments))
                        .command(Java.own()));
        return new String[] {"--", "sh", "-c", "trap '' TERM; exec " + command};
    }

    /** Returns the words of a test's main class. */
    static String[] main(Class<?> main, String... arguments) {
        return Stream.concat(
                        Stream.of(
                                "--java-opts",
                                SegnoProcess.FAST_RANKS,
                                "-cp",
                                System.getProperty("java.class.path"),
                                main.getName()),
                        Stream.of(arguments))
                .toArray(String[]::new);
    }

    /** Sends a signal to a process. */
    static void signal(String name, String pid) throws IOException, InterruptedException {
        final Process kill = new ProcessBuilder("sh", "-c", "kill -" + name + " " + pid)
                .inheritIO()
                .start();
        assertThat(kill.waitFor()).isZero();
    }

    /** Waits until all processes are gone. */
    static void awaitGone(List<String> pids) {
        pids.forEach(pid -> SegnoProcess.awaitGone(Long.parseLong(pid)));
    }
}
