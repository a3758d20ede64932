package org.segno.link;

import java.net.InetAddress;
import java.nio.file.Path;
import java.util.function.LongPredicate;
import org.jspecify.annotations.Nullable;
import org.segno.engine.memory.NodeDimensions;

/** A job as the transports of one of its processes see it. Any thread. */
public interface TransportJob {
    /**
     * Returns the job's directory on this host, for files of the transport. They are deleted when the job ends. The
     * directory of a job whose transports have no {@link Transport#address} is gone once all have joined.
     */
    Path directory();

    /** Returns the path of the node file of a rank of this host, which exists from its making until all have joined. */
    Path nodeFile(int rank);

    /** Returns the number of ranks. */
    int size();

    /** Returns the number of engines of each node of this process. */
    int engines();

    /** Returns the upper half of the number of this run of the job. No other run has the same. */
    long idHigh();

    /** Returns the lower half of that number. */
    long idLow();

    /** Returns the receiver of the notifications of links that peers make. */
    IncomingLinks incoming();

    /** Returns the dimensions that a rank has stated, after all ranks have made their nodes. */
    NodeDimensions dimensions(int rank);

    /** Returns the words of a rank's {@link Transport#address}, after all ranks have made their nodes. */
    long[] address(int rank);

    /**
     * Returns 32 bytes that the processes of this run of the job have and nobody else, from which a transport derives
     * its keys.
     */
    byte[] secret();

    /** Returns the address at which other hosts have reached this one; null if all ranks are on this host. */
    @Nullable
    InetAddress hostAddress();

    /**
     * Sends a letter to the transport of another rank's process, by way of the hub. A rank that is gone receives
     * nothing. Does not wait.
     *
     * @param from rank of this process
     */
    void write(int from, int to, int word, long second, long third);

    /**
     * Lets a thread that the application does not use carry out {@code watch} regularly, until the transport is closed.
     *
     * @param watch is given the time, {@link System#nanoTime}, and returns true to be called again after some 10 ms,
     *     false for some 40 ms
     */
    void watch(LongPredicate watch);
}
