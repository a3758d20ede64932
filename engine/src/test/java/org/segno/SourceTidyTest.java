package org.segno;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.Function;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Check of the sources of all modules against the style's limits. Small wrong sources show that each limit can fail.
 */
class SourceTidyTest {
    /** Exempt from the check: a job's id must differ every time. */
    private static final String EXEMPT = "JobId.java";

    private static final String COLD = "engine/src/main/java/org/segno/node/Long.java";

    private final SourceTidy tidy = new SourceTidy();

    @Test
    void shouldFindTheProductTidy() throws IOException {
        assertThat(findings("src/main/java", tidy::untidy)).isEmpty();
    }

    @Test
    void shouldFindTheTestsRepeatable() throws IOException {
        assertThat(findings("src/test/java", tidy::unrepeatable)).isEmpty();
    }

    @Test
    void shouldLimitTheLinesOfCodeOfAFile() {
        assertThat(tidy.untidy(Map.of(COLD, "class A {}\n".repeat(401))))
                .singleElement()
                .asString()
                .contains("401 lines of code, at most 400");
        assertThat(tidy.untidy(Map.of(COLD, "class A {}\n".repeat(400)))).isEmpty();
    }

    @Test
    void shouldNotCountCommentsBlankLinesAndImports() {
        final String free = "import a.B;\n\n// why\n/* more */\n/**\n * of\n * it\n */\n";
        assertThat(SourceTidy.codeLines(free)).isZero();
        assertThat(SourceTidy.codeLines(free.repeat(100) + "class A {\n  int a; // one\n}\n"))
                .isEqualTo(3);
    }

    @Test
    void shouldLimitTheLinesOfCodeOfAMethod() {
        assertThat(unrepeatable("void shout() {\n" + "f();\n".repeat(59) + "}"))
                .singleElement()
                .asString()
                .contains("method shout has 61 lines of code, at most 60");
        assertThat(unrepeatable("void shout() {\n" + "f();\n".repeat(58) + "//\n\n}"))
                .isEmpty();
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "Thread.sleep(1)",
                "java.lang.Thread.sleep(1)",
                "TimeUnit.SECONDS.sleep(1)",
                "System.currentTimeMillis()",
                "read(System::currentTimeMillis)",
                "java.time.Instant.now()",
                "LocalDate.now()",
                "Clock.systemUTC()",
                "new Date()",
                "new Random()",
                "new java.util.SplittableRandom()",
                "ThreadLocalRandom.current()",
                "new SecureRandom()",
                "Math.random()",
                "UUID.randomUUID()",
                "open(\"/home/somebody/file\")",
                "open(\"/work\")",
            })
    void shouldFindUnrepeatableCode(String expression) {
        assertThat(unrepeatable("Object thing = " + expression + ";")).isNotEmpty();
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "System.nanoTime()",
                "new Random(seed)",
                "new SplittableRandom(1)",
                "\"Thread.sleep(1)\"",
                "sleep(1) /* not Thread.sleep(1) */",
                "open(\"/dev/shm\")",
                "open(\"/worker/homework\")",
            })
    void shouldAcceptRepeatableCode(String expression) {
        assertThat(unrepeatable("Object thing = " + expression + ";")).isEmpty();
    }

    @Test
    void shouldSeeThroughStaticImports() {
        assertThat(tidy.unrepeatable(Map.of(COLD, "import static java.lang.Thread.sleep;")))
                .isNotEmpty();
    }

    private List<String> unrepeatable(String member) {
        return tidy.unrepeatable(Map.of(COLD, "class Long { " + member + " }"));
    }

    private static List<String> findings(String kind, Function<Map<String, String>, List<String>> look)
            throws IOException {
        final Path project = project();
        final Map<String, String> sources = new TreeMap<>();
        for (final Path file : sources(project, kind)) {
            sources.put(project.relativize(file).toString(), Files.readString(file));
        }
        assertThat(sources).as("sources seen under " + project).hasSizeGreaterThan(5);
        return look.apply(sources);
    }

    private static List<Path> sources(Path project, String kind) throws IOException {
        final List<Path> sources = new ArrayList<>();
        try (Stream<Path> modules = Files.list(project)) {
            for (final Path root : modules.map(module -> module.resolve(kind))
                    .filter(Files::isDirectory)
                    .toList()) {
                try (Stream<Path> files = Files.walk(root)) {
                    files.filter(file -> file.toString().endsWith(".java") && !file.endsWith(EXEMPT))
                            .forEach(sources::add);
                }
            }
        }
        return sources;
    }

    /** Returns the project's folder, which holds the modules' parent; tests run in their module's folder below it. */
    private static Path project() {
        final Path project = Path.of("").toAbsolutePath().resolveSibling("");
        assertThat(project.resolve("pom.xml")).exists();
        assertThat(project.resolve("engine")).isDirectory();
        return project;
    }
}
