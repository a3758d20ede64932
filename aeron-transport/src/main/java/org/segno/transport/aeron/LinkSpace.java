package org.segno.transport.aeron;

import io.aeron.logbuffer.LogBufferDescriptor;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.stream.Stream;
import org.segno.engine.packet.Frame;
import org.segno.status.SegnoException;

/** Room that links take in the directory of a job, on each host. */
public final class LinkSpace {
    private static final String LOG = ".logbuffer";

    /** Terms of a log. */
    private static final int TERMS = 3;

    /** Logs of a stream at one end: what is sent, and what is received. */
    private static final int LOGS = 2;

    private LinkSpace() {}

    /**
     * Returns the bytes that each process takes beside its ends of links.
     *
     * @param ends the product of the ranks of the job and the engines of each
     */
    public static long ofProcess(long ends) {
        return DriverSettings.filesLength(ends);
    }

    /**
     * Returns the bytes that an end of a link takes: a process has one for each engine of each rank that it links to.
     *
     * @param mtu bytes of the payload of the longest datagram
     * @throws IllegalArgumentException if no link can have it
     */
    public static long ofEnd(int mtu) {
        return ofEnd(new LinkSizes(mtu, Integer.MAX_VALUE));
    }

    static long ofEnd(LinkSizes sizes) {
        long bytes = 0;
        for (int stream = 0; stream < Frame.STREAMS; stream++) {
            bytes += LOGS * (LogBufferDescriptor.LOG_META_DATA_LENGTH + (long) TERMS * sizes.termLength(stream));
        }
        return bytes;
    }

    /**
     * Checks that there is room for the logs of another end.
     *
     * @param rank of the peer
     * @param directory of the driver's files
     * @param promised bytes of the logs of all other ends, which may not all be made yet
     * @throws SegnoException if there is none
     */
    static void require(int rank, LinkSizes sizes, Path directory, long promised) {
        try {
            final long left = Files.getFileStore(directory).getUsableSpace();
            final long usable = Math.max(0, left - Math.max(0, promised - lengthOfLogs(directory)));
            final long needed = ofEnd(sizes);
            if (usable < needed) {
                throw new SegnoException("no room for the logs of a link to rank " + rank + ": directory="
                        + directory.getParent() + " needed=" + needed + " usable=" + usable
                        + " bytes; set SEGNO_DIR to a larger file system, or reduce SEGNO_MTU");
            }
        } catch (final IOException e) {
            throw new UncheckedIOException("cannot find the room for a link in " + directory, e);
        }
    }

    private static long lengthOfLogs(Path directory) throws IOException {
        try (Stream<Path> files = Files.walk(directory)) {
            return files.filter(file -> file.toString().endsWith(LOG))
                    .mapToLong(file -> file.toFile().length())
                    .sum();
        }
    }
}
