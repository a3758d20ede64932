package org.segno;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/** Packages that applications name, and the sources that may name no others. The check reads imports and full names. */
final class Doors {
    private static final List<String> SOURCES = List.of(
            "tools/examples",
            "tools/src/main/java/org/segno/demo",
            "bench/src/main",
            "shm-transport/src/test/java/org/segno/example");

    /** Benchmarks of single parts of the engine. */
    private static final String PARTS = "bench/src/main/java/org/segno/bench/parts/";

    /** Sources that name types of the engine, by name, with the reason. */
    private static final Map<String, String> EXCEPTIONS = Map.of(
            "Cores.java", "binds threads to cores",
            "LinkEnd.java", "drives an end of a link without a node",
            "LinkMessages.java", "sends frames over such an end",
            "LinkStream.java", "sends frames over such an end",
            "LinkTransfer.java", "sends frames over such an end");

    /** Sources that also name the packages of the second door, by name, with the reason. */
    private static final Map<String, String> DRIVEN_BY_HAND = Map.of(
            "HandDriven.java", "shows how a program drives descriptors and FIFOs by hand",
            "GuideSnippets.java", "has the guide's sample of the second door");

    private static final Pattern SECOND_DOOR =
            Pattern.compile("org\\.segno\\.engine\\.(memory|descriptor|counter|fifo)\\.[\\w.]+");

    private static final Pattern NAME = Pattern.compile("org\\.segno\\.engine\\.[\\w.]+|\\w+Access(?=\\.)");

    private Doors() {}

    /** Returns the types of the engine that a source names without being an exception. */
    static Map<String, Set<String>> violations(Path root) throws IOException {
        final Map<String, Set<String>> found = named(root);
        found.forEach((source, names) -> {
            if (DRIVEN_BY_HAND.containsKey(fileName(source))) {
                names.removeIf(name -> SECOND_DOOR.matcher(name).matches());
            }
        });
        found.entrySet()
                .removeIf(entry -> entry.getValue().isEmpty() || EXCEPTIONS.containsKey(fileName(entry.getKey())));
        return found;
    }

    /** Returns the exceptions that are not needed. */
    static Set<String> unneededExceptions(Path root) throws IOException {
        final Set<String> unneeded = new TreeSet<>(EXCEPTIONS.keySet());
        unneeded.addAll(DRIVEN_BY_HAND.keySet());
        named(root).keySet().forEach(source -> unneeded.remove(fileName(source)));
        return unneeded;
    }

    private static Map<String, Set<String>> named(Path root) throws IOException {
        final Map<String, Set<String>> found = new TreeMap<>();
        for (final String place : SOURCES) {
            try (Stream<Path> files = Files.walk(root.resolve(place))) {
                for (final Path file :
                        files.filter(each -> each.toString().endsWith(".java")).toList()) {
                    final String source = root.relativize(file).toString();
                    final Matcher names = NAME.matcher(Files.readString(file));
                    while (!source.startsWith(PARTS) && names.find()) {
                        found.computeIfAbsent(source, unused -> new TreeSet<>()).add(names.group());
                    }
                }
            }
        }
        return found;
    }

    private static String fileName(String source) {
        return source.substring(source.lastIndexOf('/') + 1);
    }
}
