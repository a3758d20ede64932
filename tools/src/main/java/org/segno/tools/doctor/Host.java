package org.segno.tools.doctor;

import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Optional;

/**
 * What the system tells about itself in files.
 *
 * @param root where they begin: {@code /}, or a copy of some of them
 * @param cores that this process may use
 */
record Host(Path root, int cores) {
    private static final int LONGEST = 1 << 16;

    /** The one that this process runs on. */
    static Host here() {
        return new Host(Path.of("/"), Runtime.getRuntime().availableProcessors());
    }

    /** The text of a file, without the blanks at its ends; empty where it is not there or may not be read. */
    Optional<String> text(String file) {
        try (InputStream stream = Files.newInputStream(root.resolve(file.substring(1)))) {
            // One large read: the kernel's settings have no second one.
            final byte[] bytes = new byte[LONGEST];
            final int length = Math.max(0, stream.read(bytes));
            return Optional.of(new String(bytes, 0, length, StandardCharsets.UTF_8).trim());
        } catch (final IOException | SecurityException ignored) {
            // Containers and virtual machines hide many of them; checks say so.
            return Optional.empty();
        }
    }

    /** The same as a whole number; empty where it is none. */
    Optional<Long> number(String file) {
        return text(file).filter(text -> text.matches("\\d{1,18}")).map(Long::valueOf);
    }
}
