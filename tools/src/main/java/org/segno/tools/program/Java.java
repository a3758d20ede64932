package org.segno.tools.program;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * The Java that ranks run on.
 *
 * @param home as {@code JAVA_HOME}: holds {@code bin/java}
 * @param options for every rank, the user's own behind segno's
 */
public record Java(Path home, List<String> options) {
    private static final Pattern RELEASE = Pattern.compile("(?m)^JAVA_VERSION=\"(?:1\\.)?(\\d+)");

    /** Copies the options. */
    public Java {
        options = List.copyOf(options);
    }

    /** The Java that this command runs on, without options. */
    public static Java own() {
        return new Java(Path.of(System.getProperty("java.home")), List.of());
    }

    /** The same Java with further options, in front of those that it has. */
    public Java with(List<String> further) {
        final List<String> all = new ArrayList<>(further);
        all.addAll(options);
        return new Java(home, all);
    }

    /** The program that starts a JVM. */
    public Path executable() {
        return home.resolve("bin").resolve("java");
    }

    /** Its feature release, 17 and so on; that of this command where its home does not say. */
    int feature() {
        try {
            final Matcher release = RELEASE.matcher(Files.readString(home.resolve("release")));
            if (release.find()) {
                return Integer.parseInt(release.group(1));
            }
        } catch (final IOException ignored) {
            // Some builds have no such file; a class that is too new for it is told by the JVM itself.
        }
        return Runtime.version().feature();
    }
}
