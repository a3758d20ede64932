package org.segno.transport.aeron;

import io.aeron.logbuffer.LogBufferDescriptor;
import org.segno.engine.packet.Frame;

/** Room that links take in the directory of a job, on each host. */
public final class LinkSpace {
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
}
