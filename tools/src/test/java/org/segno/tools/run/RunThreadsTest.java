package org.segno.tools.run;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.jar.Attributes;
import java.util.jar.JarOutputStream;
import java.util.jar.Manifest;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.segno.tools.SegnoProcess;
import org.segno.tools.command.ExitCode;

/** Ranks that are threads of one process, under the real launcher. */
final class RunThreadsTest {
    @TempDir
    private Path directory = Path.of("");

    @Test
    void shouldRunAllRanksInOneProcess() throws Exception {
        try (SegnoProcess segno = run("-n", "3", "-cp", classPath(), ThreadRank.class.getName(), "leave")) {
            assertThat(segno.exitCode()).as(segno.error()).isZero();
            assertThat(segno.output().stream()
                            .map(line -> line.replaceFirst(".* in ", ""))
                            .distinct())
                    .hasSize(1);
            assertThat(segno.output()).hasSize(3);
            assertThat(segno.error()).contains("segno: 3 ranks ended with 0 in ");
            assertThat(directory).isEmptyDirectory();
        }
    }

    @Test
    @Tag("long")
    void shouldKeepTheLinesOfEachRankWhole() throws Exception {
        final Path source = directory.resolve("Slow.java");
        Files.writeString(source, """
            import org.segno.node.JobConfig;
            import org.segno.node.RankMain;

            class Slow implements RankMain {
                public void run(JobConfig job, String[] arguments) throws Exception {
                    for (int i = 0; i < 9; i++) {
                        System.out.print("<" + job.rank());
                        Thread.sleep(2);
                        System.out.println(job.rank() + ">");
                    }
                }
            }
            """);
        try (SegnoProcess segno = run("-q", "-n", "3", source.toString())) {
            assertThat(segno.exitCode()).as(segno.error()).isZero();
            assertThat(segno.output()).hasSize(27).allMatch(line -> line.matches("<([0-2])\\1>"));
        }
    }

    @Test
    @Tag("long")
    void shouldTagTheLinesOfEachRankAndItsThreads() throws Exception {
        try (SegnoProcess segno =
                run("-q", "-n", "2", "--tag-output", "-cp", classPath(), ThreadRank.class.getName(), "leave")) {
            assertThat(segno.exitCode()).as(segno.error()).isZero();
            assertThat(segno.output().stream().map(line -> line.replaceFirst(" in \\d+", "")))
                    .containsExactlyInAnyOrder("[0]<out> rank 0", "[1]<out> rank 1");
            assertThat(segno.error().lines()).containsExactlyInAnyOrder("[0]<err> helper of 0", "[1]<err> helper of 1");
        }
    }

    @Test
    @Tag("long")
    void shouldMergeBothStreamsOfARankIntoItsFile() throws Exception {
        final Path files = directory.resolve("files");
        try (SegnoProcess segno = run(
                "-q",
                "-n",
                "2",
                "--output",
                "merge,dir=" + files,
                "-cp",
                classPath(),
                ThreadRank.class.getName(),
                "leave")) {
            assertThat(segno.exitCode()).as(segno.error()).isZero();
            assertThat(segno.output()).isEmpty();
        }
        assertThat(files.resolve("rank-1.out")).content().contains("rank 1 in ", "helper of 1\n");
        assertThat(files.resolve("rank-1.err")).doesNotExist();
    }

    @Test
    @Tag("long")
    void shouldEndWithTheFirstRankThatFailsAndFailTheWaitsOfTheOthers() throws Exception {
        try (SegnoProcess segno =
                run("-n", "3", "--tag-output", "-cp", classPath(), ThreadRank.class.getName(), "fail")) {
            assertThat(segno.exitCode()).as(segno.error()).isEqualTo(1);
            // A rank that checks late may name the other one, which has failed by then too.
            assertThat(segno.output())
                    .anyMatch(line -> line.endsWith("saw rank 1 fail"))
                    .anyMatch(line -> line.matches("\\[0]<out> saw rank [12] fail"))
                    .anyMatch(line -> line.matches("\\[2]<out> saw rank [01] fail"));
            assertThat(segno.error())
                    .contains("[1]<err> Exception in thread \"segno-rank-1\" java.lang.IllegalStateException: test")
                    .containsPattern("segno: rank 1, a thread \\(pid \\d+\\) ended with 1 after .*: first to fail\n");
            assertThat(directory).isEmptyDirectory();
        }
    }

    @Test
    @Tag("long")
    void shouldGiveItsInputToTheChosenRankAlone() throws Exception {
        try (SegnoProcess segno = run(
                "-n", "2", "--stdin", "1", "--tag-output", "-cp", classPath(), ThreadRank.class.getName(), "read")) {
            try (OutputStream input = segno.process().getOutputStream()) {
                input.write("A".getBytes(StandardCharsets.UTF_8));
            }
            assertThat(segno.exitCode()).as(segno.error()).isZero();
            assertThat(segno.output()).contains("[0]<out> read -1", "[1]<out> read 65");
        }
    }

    @Test
    void shouldNameTheRemedyWhenTheMainClassIsNoRank() throws Exception {
        try (SegnoProcess segno = run("-n", "2", "-cp", classPath(), JoiningRank.class.getName(), "leave")) {
            assertThat(segno.exitCode()).isEqualTo(ExitCode.NOT_FIT);
            assertThat(segno.error())
                    .contains(JoiningRank.class.getName() + " does not implement org.segno.node.RankMain")
                    .contains("implement run(JobConfig, String[]), or use --as processes");
            assertThat(directory).isEmptyDirectory();
        }
    }

    @Test
    @Tag("long")
    void shouldRunASourceFileAndAJar() throws Exception {
        final Path source = directory.resolve("Small.java");
        Files.writeString(source, """
            import org.segno.node.JobConfig;
            import org.segno.node.RankMain;

            class Small implements RankMain {
                public void run(JobConfig job, String[] arguments) {
                    System.out.println(job.rank() + " of " + job.size() + " " + arguments[0]);
                }
            }
            """);
        try (SegnoProcess segno = run("-q", "-n", "2", source.toString(), "x")) {
            assertThat(segno.exitCode()).as(segno.error()).isZero();
            assertThat(segno.output()).containsExactlyInAnyOrder("0 of 2 x", "1 of 2 x");
        }
        final Path jar = jarOf(ThreadRank.class.getName());
        try (SegnoProcess segno = run("-q", "-n", "2", jar.toString(), "leave")) {
            assertThat(segno.exitCode()).as(segno.error()).isZero();
            assertThat(segno.output()).hasSize(2);
        }
    }

    /** Lets each rank report its threading, and wait until it has been seen in the idle strategy. */
    @Test
    @Tag("long")
    void shouldPassTheSettingsOfNodesToTheNodes() throws Exception {
        final Path source = directory.resolve("Idling.java");
        Files.writeString(source, """
            import java.util.Arrays;
            import java.util.concurrent.TimeUnit;
            import java.util.concurrent.atomic.AtomicBoolean;
            import org.segno.node.JobConfig;
            import org.segno.node.Node;
            import org.segno.node.NodeConfig;
            import org.segno.node.RankMain;
            import org.segno.status.Deadline;

            class Idling implements RankMain {
                public void run(JobConfig job, String[] arguments) throws Exception {
                    final long deadlineNs = Deadline.in(60, TimeUnit.SECONDS);
                    final Thread waiting = Thread.currentThread();
                    final AtomicBoolean seen = new AtomicBoolean();
                    final Thread watcher = new Thread(() -> {
                        while (!seen.get() && !Deadline.reached(deadlineNs)) {
                            seen.set(Arrays.stream(waiting.getStackTrace())
                                    .anyMatch(frame -> frame.getClassName().endsWith(".YieldingIdleStrategy")));
                        }
                    });
                    try (Node node = Node.join(job, NodeConfig.defaults())) {
                        watcher.start();
                        node.client().context().await(seen::get, deadlineNs);
                        watcher.join();
                        System.out.println(node.threading());
                    }
                }
            }
            """);
        try (SegnoProcess segno = run("-q", "-n", "2", "--idle", "yield", "--threading", "Shared", source.toString())) {
            assertThat(segno.exitCode()).as(segno.error()).isZero();
            assertThat(segno.output()).containsExactly("SHARED", "SHARED");
        }
    }

    /** Returns a jar with nothing but the name of its main class and the class path of the test. */
    private Path jarOf(String mainClass) throws Exception {
        final Manifest manifest = new Manifest();
        manifest.getMainAttributes().put(Attributes.Name.MANIFEST_VERSION, "1.0");
        manifest.getMainAttributes().put(Attributes.Name.MAIN_CLASS, mainClass);
        manifest.getMainAttributes()
                .put(
                        Attributes.Name.CLASS_PATH,
                        List.of(classPath().split(":", -1)).stream()
                                .map(entry -> Path.of(entry).toUri().toString())
                                .collect(Collectors.joining(" ")));
        final Path jar = directory.resolve("small.jar");
        try (OutputStream file = Files.newOutputStream(jar);
                JarOutputStream empty = new JarOutputStream(file, manifest)) {
            empty.flush();
        }
        return jar;
    }

    @Test
    @Tag("long")
    void shouldRefuseOptionsThatOneProcessCannotHave() throws Exception {
        for (final String[] words : new String[][] {
            {"-n", "1", "--", "true"},
            {"-n", "1", "A.java", ":", "-n", "1", "B.java"},
            {"-n", "1", "--bind-to", "core", "A.java"}
        }) {
            try (SegnoProcess segno = run(words)) {
                assertThat(segno.exitCode()).as(segno.error()).isEqualTo(ExitCode.WRONG_COMMAND_LINE);
                assertThat(segno.error()).contains("use --as processes");
            }
        }
    }

    private static String classPath() {
        return System.getProperty("java.class.path");
    }

    private SegnoProcess run(String... arguments) throws Exception {
        final List<String> all = new ArrayList<>(List.of("run", "--as", "threads"));
        all.addAll(List.of(arguments));
        return SegnoProcess.start(Map.of("SEGNO_DIR", directory.toString()), all.toArray(String[]::new));
    }
}
