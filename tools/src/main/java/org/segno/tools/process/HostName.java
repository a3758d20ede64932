package org.segno.tools.process;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Locale;

/** Name of this host. */
public final class HostName {
    private static final Path FILE = Path.of("/proc/sys/kernel/hostname");
    private static final String LOCALHOST = "localhost";

    private HostName() {}

    /** Returns the name that the system gives this host, or {@code localhost} if it gives none. */
    public static String ofThisHost() {
        try {
            final String name = Files.readString(FILE).trim();
            return name.isEmpty() ? LOCALHOST : name;
        } catch (final IOException ignored) {
            // Not Linux: the name only distinguishes hosts for the user.
            return LOCALHOST;
        }
    }

    /** Returns true if {@code name} is {@code localhost} or the name of this host, with or without its domain. */
    public static boolean isThisHost(String name) {
        final String own = ofThisHost();
        final int dot = own.indexOf('.');
        return name.equalsIgnoreCase(LOCALHOST)
                || name.toLowerCase(Locale.ROOT).equals(own.toLowerCase(Locale.ROOT))
                || (dot > 0 && name.equalsIgnoreCase(own.substring(0, dot)));
    }
}
