package org.segno.engine.job;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.File;
import java.io.IOException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.jar.JarOutputStream;
import java.util.zip.ZipEntry;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.segno.node.JobConfig;

/** Processes that may open only a few files ({@code ulimit -n}): they report the limit and leave nothing. */
@Timeout(900)
class OpenFileLimitTest {
    /** Lowest limit with which a JVM can load the classes of the test. */
    private static final int LOWEST = 9;

    private static final int HIGHEST = 18;

    @TempDir
    static Path directory;

    private static String classPath = "";

    @TempDir
    Path parent;

    /** Makes one jar, which a JVM holds open; from a directory it opens a file for each class that it loads. */
    @BeforeAll
    static void makeJar() throws IOException {
        final Path jar = directory.resolve("classes.jar");
        try (JarOutputStream output = new JarOutputStream(Files.newOutputStream(jar))) {
            for (final String entry : System.getProperty("java.class.path").split(File.pathSeparator, -1)) {
                for (final String packageName : new String[] {
                    "org/segno/engine/job", "org/segno/engine/launcher", "org/segno/node", "org/segno/status"
                }) {
                    add(Path.of(entry), Path.of(entry).resolve(packageName), output);
                }
            }
        }
        classPath = jar.toString();
    }

    private static void add(Path root, Path directory, JarOutputStream output) throws IOException {
        if (!Files.isDirectory(directory)) {
            return;
        }
        try (DirectoryStream<Path> classes = Files.newDirectoryStream(directory, "*.class")) {
            for (final Path file : classes) {
                final String name = root.relativize(file).toString();
                if (!name.endsWith("package-info.class")) {
                    output.putNextEntry(new ZipEntry(name));
                    Files.copy(file, output);
                }
            }
        }
    }

    @Test
    @Tag("long")
    void shouldLeaveNothingBehindWhereverAHubRunsOutOfOpenFiles() {
        final List<String> failures = new ArrayList<>();
        for (int limit = LOWEST; limit <= HIGHEST; limit++) {
            try (TestRankProcess hub = fork(limit, "hub")) {
                hub.awaitEnd();
                failures.addAll(hub.printedStarting("failed "));
                assertThat(parent).as("limit " + limit + hub.printed()).isEmptyDirectory();
            }
        }
        assertThat(failures).isNotEmpty().allSatisfy(OpenFileLimitTest::assertNamesLimitAndRemedy);
    }

    @Test
    void shouldRemoveItsDirectoryWhereItCanOpenNoMoreFiles() {
        try (TestRankProcess rank = fork(64, "exhaust")) {
            assertThat(rank.expect("closed"))
                    .contains("cannot make the job directory")
                    .satisfies(OpenFileLimitTest::assertNamesLimitAndRemedy);
            assertThat(parent).isEmptyDirectory();
        }
    }

    @Test
    @Tag("long")
    void shouldFailTheJoinOfARankThatCanOpenNoSocket() {
        final List<String> failures = new ArrayList<>();
        for (int limit = LOWEST; limit <= HIGHEST; limit++) {
            try (TestRankProcess hub = TestRankProcess.fork(config(), "hub")) {
                hub.expect("hub");
                try (TestRankProcess rank = fork(limit, "welcome")) {
                    rank.awaitEnd();
                    failures.addAll(rank.printedStarting("failed "));
                }
                hub.awaitEnd();
            }
            assertThat(parent).as("limit " + limit).isEmptyDirectory();
        }
        assertThat(failures).isNotEmpty().allSatisfy(OpenFileLimitTest::assertNamesLimitAndRemedy);
    }

    private static void assertNamesLimitAndRemedy(String failure) {
        assertThat(failure).containsPattern("this process may have \\d+ files open: raise that limit \\(ulimit -n\\)");
    }

    private TestRankProcess fork(int limit, String part) {
        return TestRankProcess.forkBehind("ulimit -n " + limit, classPath, config(), part);
    }

    private JobConfig config() {
        return JobConfig.of("few", 0, 1)
                .withDirectory(parent)
                .withLaunched(true)
                .withJoinTimeout(Duration.ofSeconds(20));
    }
}
