package org.segno.example;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.segno.node.JobConfig;
import org.segno.node.Node;
import org.segno.node.NodeConfig;
import org.segno.status.Deadline;

/** The Java samples of the documents: they are compiled here, and those of the guide run as ranks of a job. */
class GuideTest {
    private static final Path SOURCES = Path.of("src/test/java/org/segno/example");
    private static final Pattern JAVA_BLOCK = Pattern.compile("(?ms)^```java\\n(.*?)^```$");
    private static final int RANKS = 3;

    @TempDir
    Path directory;

    @ParameterizedTest
    @ValueSource(strings = {"../README.md", "../engine/docs/GUIDE.md"})
    void shouldContainOnlyCompiledSamples(String document) throws IOException {
        final String compiled = compiled();
        final Matcher block = JAVA_BLOCK.matcher(Files.readString(Path.of(document)));
        int samples = 0;
        while (block.find()) {
            assertThat(compiled.contains(normalised(block.group(1))))
                    .as("%s: no source in %s contains%n%s", document, SOURCES, block.group(1))
                    .isTrue();
            samples++;
        }
        assertThat(samples).as("samples in " + document).isPositive();
    }

    @Test
    void shouldShowEveryMarkedSampleInTheGuide() throws IOException {
        final String guide = normalised(Files.readString(Path.of("../engine/docs/GUIDE.md")));
        final Matcher sample = Pattern.compile("(?ms)^ *// guide: (\\w+)\\n(.*?)^ *// end$")
                .matcher(Files.readString(SOURCES.resolve("GuideSnippets.java")));
        while (sample.find()) {
            assertThat(guide.contains(normalised(sample.group(2))))
                    .as("sample " + sample.group(1))
                    .isTrue();
        }
    }

    @ParameterizedTest
    @MethodSource("samples")
    void shouldRunOnEveryRank(Sample sample) throws Exception {
        run(sample.steps);
    }

    @Test
    void shouldLoadThePatternsThatThePreviousJobSaved() throws Exception {
        run(GuideSnippets::savedPatterns);
        run(GuideSnippets::savedPatterns);
    }

    @Test
    void shouldJoinWithoutALauncher() throws Exception {
        GuideSnippets.embed(directory);
        GuideSnippets.severalRanks(directory);
        new GuideSnippets.Greeting().run(JobConfig.of("greeting", 0, 1).withDirectory(directory), new String[0]);
    }

    private static Stream<Sample> samples() {
        return Stream.of(
                new Sample("put", GuideSnippets::put),
                new Sample("short put", GuideSnippets::shortPut),
                new Sample("retry", GuideSnippets::retry),
                new Sample("prepared put", GuideSnippets::preparedPut),
                new Sample("notify", GuideSnippets::notifying),
                new Sample("loan", GuideSnippets::loans),
                new Sample("record loan", GuideSnippets::loanedRecords),
                new Sample("slots", GuideSnippets::slots),
                new Sample("get", GuideSnippets::get),
                new Sample("vectored", GuideSnippets::vectored),
                new Sample("send", GuideSnippets::send),
                new Sample("request", GuideSnippets::requestAndResponse),
                new Sample("long", GuideSnippets::longMessage),
                new Sample("received", GuideSnippets::receivedMessage),
                new Sample("reply", GuideSnippets::longReply),
                new Sample("defer", GuideSnippets::deferredMessage),
                new Sample("record", GuideSnippets::record),
                new Sample("alternate", GuideSnippets::alternate),
                new Sample("credits", GuideSnippets::credits),
                new Sample("forward", GuideSnippets::forward),
                new Sample("begin", GuideSnippets::recordFromBeginToEnd),
                new Sample("edges", GuideSnippets::edges),
                new Sample("combine", GuideSnippets::combine),
                new Sample("queue", GuideSnippets::queue),
                new Sample("collectives", GuideSnippets::collectives),
                new Sample("endpoints", GuideSnippets::endpoints),
                new Sample("requests", GuideSnippets::requests),
                new Sample("multicast", GuideSnippets::multicast),
                new Sample("exchange", GuideSnippets::manyToMany),
                new Sample("joint", GuideSnippets::jointPattern),
                new Sample("fence", GuideSnippets::fence),
                new Sample("fifo", GuideSnippets::injectionFifos),
                new Sample("ranges", GuideSnippets::ranges),
                new Sample("close", GuideSnippets::closing),
                new Sample("threads", GuideSnippets::threads),
                new Sample("queries", GuideSnippets::queries),
                new Sample("steps", GuideSnippets::steps),
                new Sample("offsets", GuideSnippets::offsets),
                new Sample("completions", GuideSnippets::completions),
                new Sample("create", GuideSnippets::createContexts),
                new Sample("several", GuideSnippets::severalContexts),
                new Sample("deaths", GuideSnippets::deaths),
                new Sample("client", GuideSnippets::clients),
                new Sample("tasks", GuideSnippets::tasks),
                new Sample("closed client", GuideSnippets::closedClient),
                new Sample("hand", GuideSnippets::byHand),
                new Sample("errors", GuideSnippets::errors));
    }

    /** Runs a sample on all ranks of a new job, each on a thread of its own. */
    private void run(Steps sample) throws Exception {
        final JobConfig first = JobConfig.of("guide", 0, RANKS).withDirectory(directory);
        final List<JobConfig> ranks = new ArrayList<>();
        for (int rank = 0; rank < RANKS; rank++) {
            ranks.add(first.withRank(rank));
        }
        final NodeConfig config = NodeConfig.defaults()
                .withThreading(NodeConfig.Threading.INVOKER)
                .withContexts(2)
                .withWindowBytes(4 << 20);
        final ExecutorService threads = Executors.newFixedThreadPool(RANKS);
        try {
            final List<Callable<Boolean>> tasks = new ArrayList<>();
            for (final Node node : Node.joinAll(ranks, config)) {
                tasks.add(() -> runOne(node, sample));
            }
            for (final Future<Boolean> result : threads.invokeAll(tasks, 60, TimeUnit.SECONDS)) {
                assertThat(result.get()).isTrue();
            }
        } finally {
            threads.shutdownNow();
        }
    }

    private boolean runOne(Node node, Steps sample) throws Exception {
        try (node) {
            final GuideSnippets snippets = new GuideSnippets(node, directory);
            sample.run(snippets);
            node.client().context().barrier(Deadline.in(30, TimeUnit.SECONDS));
        }
        return true;
    }

    private static String compiled() throws IOException {
        try (Stream<Path> files = Files.list(SOURCES)) {
            return files.map(GuideTest::read).map(GuideTest::normalised).collect(Collectors.joining(" "));
        }
    }

    private static String read(Path file) {
        try {
            return Files.readString(file).replaceFirst("package [^;]+;\\n\\n", "");
        } catch (final IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static String normalised(String text) {
        return text.replaceAll("\\s+", " ").trim();
    }

    @FunctionalInterface
    interface Steps {
        void run(GuideSnippets snippets) throws Exception;
    }

    private record Sample(String name, Steps steps) {
        @Override
        public String toString() {
            return name;
        }
    }
}
