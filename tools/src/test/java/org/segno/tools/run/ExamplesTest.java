package org.segno.tools.run;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeFalse;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.segno.tools.SegnoProcess;

/** Programs in {@code tools/examples}, each started by {@code segno run} with small arguments. */
final class ExamplesTest {
    private static final Path DIRECTORY = Path.of("examples");
    private static final Pattern COMMAND =
            Pattern.compile("(?m)^ \\* (tools/bin/segno run .*tools/examples/\\w+\\.java)");

    /** Placeholder for the directory that an example may write to. */
    private static final String FILES = "FILES";

    private static final Map<String, Example> EXAMPLES = Map.of(
            "PingPong",
            new Example("-n 2", "5 100", """
                    round trip of 8 bytes: median \\d+ ns, fastest \\d+ ns, \\d+ batches of 100
                    """),
            "HaloExchange",
            new Example("-n 3", "100 20", """
                    rank 0: 20 cells are right after 100 steps
                    rank 1: 20 cells are right after 100 steps
                    rank 2: 20 cells are right after 100 steps
                    """),
            // More than 16 outstanding requests find no room in a FIFO of 16 slots.
            "RequestResponse",
            new Example("-n 3", "1000", """
                    rank 0 served 2000 requests, \\d+ times there was no room
                    rank 1 sent 1000 requests, [1-9]\\d* times there was no room
                    rank 2 sent 1000 requests, [1-9]\\d* times there was no room
                    """),
            // The slow consumer takes a fraction of the updates, and all that were sent to it.
            "MarketData",
            new Example("-n 3", "20000", """
                    rank 0 published 20000 updates and sent (\\d{2,4}) of them to rank 2
                    rank 1 took 20000 updates, the last of each symbol among them
                    rank 2 took \\1 updates, the last of each symbol among them
                    """),
            "MulticastExample",
            new Example("-n 3", "100", """
                    rank 0 received 100 rounds
                    rank 0 sent 100 rounds to 3 ranks by 100 replays
                    rank 1 received 100 rounds
                    rank 2 received 100 rounds
                    """),
            "WarmStart",
            new Example("-n 2", FILES, """
                    rank 0 received 100 rounds
                    rank 0 saved 65 descriptors
                    rank 1 received 100 rounds
                    rank 1 saved 65 descriptors
                    """, """
                    rank 0 loaded 65 descriptors
                    rank 0 received 100 rounds
                    rank 1 loaded 65 descriptors
                    rank 1 received 100 rounds
                    """),
            "HandDriven",
            new Example("-n 2", "100", """
                    rank 0 wrote 4 descriptors once, the engine executed 400, and all 400 received values are right
                    rank 1 wrote 4 descriptors once, the engine executed 400, and all 400 received values are right
                    """),
            "ReadJournal",
            new Example("-n 2 --record all=" + FILES + "/journal", FILES + "/journal", """
                    rank 0: \\{COUNT=1, PUT=100\\}, COMPLETE
                    rank 1: \\{COUNT=1, PUT=100\\}, COMPLETE
                    """),
            "RanksAsThreads",
            new Example("--as threads -n 3", "10000", """
                    rank 0 found \\d+ primes, in thread segno-rank-0 of process (\\d+)
                    rank 1 found \\d+ primes, in thread segno-rank-1 of process \\1
                    rank 2 found \\d+ primes, in thread segno-rank-2 of process \\1
                    there are 1229 primes below 10000
                    """));

    @TempDir
    private Path jobs = Path.of("");

    @TempDir
    private Path temporary = Path.of("");

    @TempDir
    private Path files = Path.of("");

    /**
     * Command line of an example and its expected output.
     *
     * @param options of {@code segno run}
     * @param arguments of the program
     * @param outputs by run: a regular expression for all lines, sorted, because ranks print in any order
     */
    @SuppressWarnings("ArrayRecordComponent") // created here, never compared
    private record Example(String options, String arguments, String... outputs) {}

    private static List<String> names() throws IOException {
        try (Stream<Path> found = Files.list(DIRECTORY)) {
            return found.map(file -> file.getFileName().toString())
                    .filter(name -> name.endsWith(".java"))
                    .map(name -> name.substring(0, name.length() - ".java".length()))
                    .sorted()
                    .toList();
        }
    }

    @Test
    void shouldRunAllFilesInTheDirectory() throws Exception {
        assertThat(names()).containsExactlyInAnyOrderElementsOf(EXAMPLES.keySet());
    }

    @ParameterizedTest
    @Tag("long")
    @MethodSource("names")
    void shouldPrintItsResultAndLeaveNothing(String name) throws Exception {
        final Example example = EXAMPLES.getOrDefault(name, new Example("", ""));
        for (final String output : example.outputs()) {
            try (SegnoProcess segno = run(name, example.options(), example.arguments())) {
                assertThat(segno.exitCode()).as(segno.error()).isZero();
                final String lines =
                        String.join("\n", segno.output().stream().sorted().toList());
                assertThat(lines).as(segno.error()).matches(output.strip());
            }
        }
        assertThat(jobs).isEmptyDirectory();
        assertThat(temporary).isEmptyDirectory();
    }

    @Tag("stress")
    @ParameterizedTest
    @MethodSource("names")
    void shouldPrintTheSameResultOnTwoHosts(String name) throws Exception {
        final Example example = EXAMPLES.getOrDefault(name, new Example("", ""));
        assumeFalse(example.options().startsWith("--as threads"), "threads of one JVM have one host");
        final TestHosts hosts = TestHosts.in(temporary);
        final String options =
                example.options().replace("-n 3", "--host a:2,b:1").replace("-n 2", "--host a,b");
        for (final String output : example.outputs()) {
            try (SegnoProcess segno = hosts.run(words(name, options, example.arguments()))) {
                assertThat(segno.exitCode()).as(segno.error()).isZero();
                final String lines =
                        String.join("\n", segno.output().stream().sorted().toList());
                assertThat(lines).as(segno.error()).matches(output.strip());
            }
        }
        assertThat(hosts.jobs()).isEmptyDirectory();
    }

    @Test
    @Tag("long")
    void shouldRefuseToMeasureNothing() throws Exception {
        try (SegnoProcess segno = run("PingPong", "-n 2", "0")) {
            assertThat(segno.exitCode()).as(segno.error()).isOne();
            assertThat(segno.error()).contains("BATCHES and ROUND_TRIPS must be 1 or more: BATCHES=0, ROUND_TRIPS=100");
        }
    }

    @Test
    @Tag("long")
    void shouldWaitForTheFirstUpdateOfEachSymbol() throws Exception {
        try (SegnoProcess segno = run("MarketData", "-n 3", "16")) {
            assertThat(segno.exitCode()).as(segno.error()).isZero();
            assertThat(segno.output())
                    .contains(
                            "rank 1 took 16 updates, the last of each symbol among them",
                            "rank 2 took 16 updates, the last of each symbol among them");
        }
    }

    @Test
    @Tag("long")
    void shouldEndWithAnErrorWhereAnExampleFails() throws Exception {
        try (SegnoProcess segno = run("PingPong", "-n 1", "1 1")) {
            assertThat(segno.exitCode()).as(segno.error()).isOne();
            assertThat(segno.error()).contains("PingPong has two ranks, run it with -n 2: size=1");
        }
    }

    @ParameterizedTest
    @MethodSource("names")
    void shouldShowItsCommandInItsCommentAndInTheReadme(String name) throws Exception {
        final Matcher command = COMMAND.matcher(Files.readString(DIRECTORY.resolve(name + ".java")));

        assertThat(command.find()).isTrue();
        assertThat(command.group(1)).endsWith("/" + name + ".java");
        assertThat(Files.readString(DIRECTORY.resolve("README.md"))).contains("`" + command.group(1) + "`");
    }

    private SegnoProcess run(String name, String options, String arguments) throws IOException {
        final List<String> words = new ArrayList<>(List.of("run"));
        words.addAll(List.of(words(name, options, arguments)));
        final Map<String, String> environment =
                Map.of("SEGNO_DIR", jobs.toString(), "JAVA_TOOL_OPTIONS", "-Djava.io.tmpdir=" + temporary);
        return SegnoProcess.start(environment, words.toArray(String[]::new));
    }

    /** Returns the words after those of the command. */
    private String[] words(String name, String options, String arguments) {
        final List<String> words =
                new ArrayList<>(List.of(options.replace(FILES, files.toString()).split(" ", -1)));
        words.addAll(List.of("--java-opts", SegnoProcess.FAST_RANKS));
        words.add(DIRECTORY.resolve(name + ".java").toString());
        words.addAll(List.of(arguments.replace(FILES, files.toString()).split(" ", -1)));
        return words.toArray(String[]::new);
    }
}
