package org.segno.engine.job;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.jar.Attributes;
import java.util.jar.JarEntry;
import java.util.jar.JarFile;
import java.util.jar.JarOutputStream;
import java.util.jar.Manifest;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.agrona.concurrent.AtomicBuffer;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.segno.node.NodeConfig;

class AgronaVersionTest {
    @TempDir
    Path directory;

    @Test
    void shouldBeTheVersionOfTheBuild() throws IOException {
        final Matcher version = Pattern.compile("<agrona.version>(.*)</agrona.version>")
                .matcher(Files.readString(Path.of("../pom.xml")));

        assertThat(version.find()).isTrue();
        assertThat(AgronaVersion.BUILT_WITH).isEqualTo(version.group(1));
        assertThatCode(AgronaVersion::check).doesNotThrowAnyException();
    }

    @ParameterizedTest
    @ValueSource(strings = {"2.4.1", "2.4.2", "2.10.0", "2.4.1-SNAPSHOT", "2.5", "unspecified", "", "${version}"})
    void shouldAcceptTheSameLaterAndUnknownVersions(String version) {
        assertThat(AgronaVersion.problem(version)).isNull();
        assertThat(AgronaVersion.isFatal(version)).isFalse();
    }

    @Test
    void shouldAcceptAnotherManifestOrNone() {
        assertThat(AgronaVersion.problem(AgronaVersion.found(null, null))).isNull();
        assertThat(AgronaVersion.found("Pricing", "1.0.3")).isNull();
        assertThat(AgronaVersion.found(null, "1.0.3")).isNull();
        assertThat(AgronaVersion.found("Agrona", "1.0.3")).isEqualTo("1.0.3");
    }

    @ParameterizedTest
    @CsvSource({"2.4.0, false", "2.3.9, false", "1.23.1, true", "3.0.0, true"})
    void shouldNameBothVersionsAndTheRemedy(String version, boolean fatal) {
        assertThat(AgronaVersion.problem(version))
                .contains("built with Agrona 2.4.1, but the class path has Agrona " + version
                        + ": put org.agrona:agrona:2.4.1");
        assertThat(AgronaVersion.isFatal(version)).isEqualTo(fatal);
    }

    /** Main class of a program that makes a node's configuration. */
    static final class Program {
        private Program() {}

        public static void main(String[] arguments) {
            NodeConfig.defaults();
        }
    }

    @ParameterizedTest
    @Tag("long")
    @CsvSource({
        "Agrona, 1.9.0, IllegalStateException",
        "Agrona, 2.0.0, but the class path has Agrona 2.0.0",
        "Pricing, 1.9.0, ''",
        "'', '', ''",
    })
    void shouldReportTheVersionInTheProcessOfAProgram(String title, String version, String expected) throws Exception {
        final Process process = new ProcessBuilder(
                        Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                        "--add-exports=java.base/jdk.internal.misc=ALL-UNNAMED",
                        "-cp",
                        agrona(title, version) + ":" + System.getProperty("java.class.path"),
                        Program.class.getName())
                .redirectErrorStream(true)
                .start();
        final String text = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);

        if (expected.isEmpty()) {
            assertThat(text).doesNotContain("Agrona");
        } else {
            assertThat(text).contains(expected).contains("built with Agrona 2.4.1", version);
        }
    }

    /** Makes a copy of Agrona's jar with another manifest. */
    private Path agrona(String title, String version) throws Exception {
        final Path original = Path.of(AtomicBuffer.class
                .getProtectionDomain()
                .getCodeSource()
                .getLocation()
                .toURI());
        final Manifest manifest = new Manifest();
        manifest.getMainAttributes().put(Attributes.Name.MANIFEST_VERSION, "1.0");
        if (!title.isEmpty()) {
            manifest.getMainAttributes().put(Attributes.Name.IMPLEMENTATION_TITLE, title);
            manifest.getMainAttributes().put(Attributes.Name.IMPLEMENTATION_VERSION, version);
        }
        final Path copy = directory.resolve("other.jar");
        try (OutputStream file = Files.newOutputStream(copy);
                JarOutputStream jar = new JarOutputStream(file, manifest);
                JarFile source = new JarFile(original.toFile())) {
            for (final JarEntry entry : (Iterable<JarEntry>) source.stream()::iterator) {
                if (!entry.getName().startsWith("META-INF/")) {
                    jar.putNextEntry(new JarEntry(entry.getName()));
                    try (InputStream bytes = source.getInputStream(entry)) {
                        bytes.transferTo(jar);
                    }
                    jar.closeEntry();
                }
            }
        }
        return copy;
    }
}
