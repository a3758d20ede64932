package org.segno.transport.aeron;

import java.io.IOException;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.Path;

/** File that takes the room of a small file system. */
final class FileFilling {
    private static final int PAGE = 4096;

    private FileFilling() {}

    /** Fills a file system until {@code left} bytes are usable. Returns the file. */
    static Path fill(Path mountPoint, long left) throws IOException {
        final Path file = mountPoint.resolve("filling");
        try (OutputStream filling = Files.newOutputStream(file)) {
            final byte[] page = new byte[PAGE];
            long bytes = Files.getFileStore(mountPoint).getUsableSpace() - left;
            for (; bytes > 0; bytes -= PAGE) {
                filling.write(page);
            }
        }
        return file;
    }
}
