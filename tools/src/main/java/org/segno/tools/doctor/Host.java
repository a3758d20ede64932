package org.segno.tools.doctor;

import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Optional;

/**
 * The files in which a system describes itself.
 *
 * @param root the root of their paths: {@code /}, or a directory with copies of some of the files
 * @param cores the number of cores that this process may use
 */
record Host(Path root, int cores) {
    private static final int LONGEST = 1 << 16;

    /** Returns the host that this process runs on. */
    static Host here() {
        return new Host(Path.of("/"), Runtime.getRuntime().availableProcessors());
    }

    /** Returns the text of a file without leading and trailing blanks; empty if it is missing or not readable. */
    Optional<String> text(String file) {
        try (InputStream stream = Files.newInputStream(root.resolve(file.substring(1)))) {
            // One large read, because the kernel's settings do not support a second one.
            final byte[] bytes = new byte[LONGEST];
            final int length = Math.max(0, stream.read(bytes));
            return Optional.of(new String(bytes, 0, length, StandardCharsets.UTF_8).trim());
        } catch (final IOException | SecurityException ignored) {
            // Containers and virtual machines hide many of these files; the checks report that.
            return Optional.empty();
        }
    }

    /** Returns the text of a file as a whole number; empty if it is not one. */
    Optional<Long> number(String file) {
        return text(file).filter(text -> text.matches("\\d{1,18}")).map(Long::valueOf);
    }
}
