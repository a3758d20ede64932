package org.segno.tools.program;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Java runtime of the ranks.
 *
 * @param home directory that contains {@code bin/java}, as in {@code JAVA_HOME}
 * @param options options of every rank, the user's own after segno's
 */
public record Java(Path home, List<String> options) {
    private static final Pattern RELEASE = Pattern.compile("(?m)^JAVA_VERSION=\"(?:1\\.)?(\\d+)");

    /** Copies the options. */
    public Java {
        options = List.copyOf(options);
    }

    /** Returns the Java that this command runs on, without options. */
    public static Java own() {
        return new Java(Path.of(System.getProperty("java.home")), List.of());
    }

    /** Returns the same Java with further options before the existing ones. */
    public Java with(List<String> further) {
        final List<String> all = new ArrayList<>(further);
        all.addAll(options);
        return new Java(home, all);
    }

    /** Returns the program that starts a JVM. */
    public Path executable() {
        return home.resolve("bin").resolve("java");
    }

    /** Returns its feature release, such as 17, or that of this command if its home does not contain the release. */
    public int feature() {
        try {
            final Matcher release = RELEASE.matcher(Files.readString(home.resolve("release")));
            if (release.find()) {
                return Integer.parseInt(release.group(1));
            }
        } catch (final IOException ignored) {
            // Some builds have no such file. The JVM itself rejects classes that are too new for it.
        }
        return Runtime.version().feature();
    }
}
