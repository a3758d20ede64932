package org.segno.bench.stress;

import static java.util.concurrent.TimeUnit.MINUTES;
import static org.assertj.core.api.Assertions.assertThat;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Objects;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Run of the stress tests in a process of their own, in the profile {@code jcstress}. */
@Tag("jcstress")
class JcstressTest {
    /** Duration of each race: {@code sanity}, {@code quick}, {@code default}, {@code tough} or {@code stress}. */
    private static final String MODE = System.getProperty("jcstress.mode", "quick");

    /** Number of runs of each race in each compilation, each for the duration of the mode. */
    private static final String ITERATIONS = System.getProperty("jcstress.iterations", "2");

    /** Selected tests, as a regular expression. */
    private static final String TESTS = System.getProperty("jcstress.tests", "org.segno");

    private static final Pattern TESTS_PATTERN = Pattern.compile(TESTS);

    private static final int LIMIT_MINUTES = 110;
    private static final String EXPORTS = "--add-exports=java.base/jdk.internal.misc=ALL-UNNAMED";

    @Test
    @Timeout(value = LIMIT_MINUTES + 5, unit = MINUTES)
    void shouldSeeNothingThatIsForbidden() throws Exception {
        final Path directory = Files.createDirectories(Path.of("target", "jcstress"));
        final Path log = directory.resolve("log.txt");
        final int status = run(directory, log);
        final StressTable table = StressTable.of(log);
        System.out.println(table);

        assertThat(status)
                .as("a forbidden outcome, or a test that failed: see " + log.toAbsolutePath())
                .isZero();
        assertThat(table.forbidden()).isEmpty();
        assertThat(table.tests())
                .as("tests with results: jcstress omits tests that need more cores than there are")
                .containsAll(listed().stream()
                        .filter(test -> TESTS_PATTERN.matcher(test).find())
                        .toList());
    }

    private static int run(Path directory, Path log) throws IOException, InterruptedException {
        final String java =
                Path.of(System.getProperty("java.home"), "bin", "java").toString();
        final String classes = System.getProperty("surefire.test.class.path", System.getProperty("java.class.path"));
        final List<String> command = List.of(
                java,
                EXPORTS,
                "-cp",
                classes,
                "org.openjdk.jcstress.Main",
                "-v",
                "-m",
                MODE,
                "-iters",
                ITERATIONS,
                "-t",
                TESTS,
                "-r",
                "report",
                "-strideSize",
                String.valueOf(StressNode.STRIDE_SIZE),
                "-strideCount",
                String.valueOf(StressNode.STRIDE_COUNT),
                "-jvmArgsPrepend",
                EXPORTS);
        final Process process = new ProcessBuilder(command)
                .directory(directory.toFile())
                .redirectErrorStream(true)
                .redirectOutput(log.toFile())
                .start();
        try {
            assertThat(process.waitFor(LIMIT_MINUTES, MINUTES))
                    .as("ended within " + LIMIT_MINUTES + " minutes")
                    .isTrue();
            return process.exitValue();
        } finally {
            process.descendants().forEach(ProcessHandle::destroyForcibly);
            process.destroyForcibly();
        }
    }

    /** Returns every compiled test from the list that jcstress generates: each word follows its length and an S. */
    private static List<String> listed() throws IOException {
        try (BufferedReader list = new BufferedReader(new InputStreamReader(
                Objects.requireNonNull(JcstressTest.class.getResourceAsStream("/META-INF/TestList")),
                StandardCharsets.UTF_8))) {
            return list.lines().map(JcstressTest::name).toList();
        }
    }

    private static String name(String entry) {
        final String lengthAndRest = entry.substring("JCTEST".length());
        final int end = lengthAndRest.indexOf('S');
        return lengthAndRest.substring(end + 1, end + 1 + Integer.parseInt(lengthAndRest.substring(0, end)));
    }
}
