package org.segno.node;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.FileSystem;
import java.nio.file.FileSystems;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** Every test of the engine that runs over links runs over Aeron, too, unless there is a reason. */
class SuitesOverAeronTest {
    private static final String CLASS = ".class";
    private static final List<String> SUITES = List.of(
            "org.segno.node.NodesOverAeronTest",
            "org.segno.message.MessagesOverAeronTest",
            "org.segno.message.SettledMessagesOverAeronTest",
            "org.segno.multisend.MultisendOverAeronTest",
            "org.segno.collective.CollectivesOverAeronTest",
            "org.segno.saved.SavedPatternsOverAeronTest");

    /** Aeron's driver allocates a few bytes now and then, which {@code AeronLinkTest} bounds. */
    private static final List<String> ALLOCATION =
            List.of("org.segno.node.NodeAllocationTest", "org.segno.collective.CollectiveAllocationTest");

    /** No argument that it passes reaches a transport, and it needs a library that this module does not have. */
    private static final String ARGUMENTS = "org.segno.node.NullArgumentsTest";

    @Test
    void shouldRunAllTestsThatRunOverLinks() throws Exception {
        final List<String> run = new ArrayList<>(ALLOCATION);
        run.add(ARGUMENTS);
        for (final String suite : SUITES) {
            for (final Class<?> nested : Class.forName(suite).getDeclaredClasses()) {
                run.add(nested.getSuperclass().getName());
            }
        }
        assertThat(run).containsExactlyInAnyOrderElementsOf(overLinks());
    }

    private static List<String> overLinks() throws Exception {
        final Path tests = Path.of(OverMemoryAndLinks.class
                .getProtectionDomain()
                .getCodeSource()
                .getLocation()
                .toURI());
        if (Files.isDirectory(tests)) {
            return overLinks(tests);
        }
        try (FileSystem jar = FileSystems.newFileSystem(tests)) {
            return overLinks(jar.getPath("/"));
        }
    }

    private static List<String> overLinks(Path root) throws IOException {
        final List<String> found = new ArrayList<>();
        try (Stream<Path> files = Files.walk(root.resolve("org"))) {
            for (final Path file : files.filter(each -> each.toString().endsWith("Test" + CLASS))
                    .toList()) {
                final String name = root.relativize(file).toString();
                final String type =
                        name.substring(0, name.length() - CLASS.length()).replace('/', '.');
                if (isOverLinks(type)) {
                    found.add(type);
                }
            }
        }
        return found;
    }

    private static boolean isOverLinks(String type) {
        try {
            return Class.forName(type, false, SuitesOverAeronTest.class.getClassLoader())
                    .isAnnotationPresent(OverMemoryAndLinks.class);
        } catch (final ClassNotFoundException | LinkageError e) {
            // It needs a library that this module does not have, as no such test does.
            return false;
        }
    }
}
