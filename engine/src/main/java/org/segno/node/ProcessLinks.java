package org.segno.node;

import java.util.HashMap;
import java.util.Map;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import org.segno.link.Link;
import org.segno.link.MemoryLink;

/**
 * The transport {@value #NAME}: links between ranks of this process, through its memory. Nodes that it joins share no
 * memory and behave as nodes of different hosts do. A link is made when an engine of either rank first uses it. Any
 * thread.
 *
 * <p>A link stays up when a node at one end closes. The hub reports to the other ranks that it has left.
 */
final class ProcessLinks {
    /** Name of the transport. */
    static final String NAME = "process";

    private final Map<Ends, MemoryLink[]> links = new HashMap<>();
    private final Map<End, Queue<Integer>> callers = new HashMap<>();

    /** Two ranks, the lower one first, and the engine of each. */
    private record Ends(int low, int high, int engine) {}

    /** An engine of a rank. */
    private record End(int rank, int engine) {}

    /**
     * Returns the end of {@code rank} of the link between engines of a number at two ranks, which is made if needed.
     */
    synchronized Link connect(int rank, int peer, int engine) {
        final Ends ends = new Ends(Math.min(rank, peer), Math.max(rank, peer), engine);
        MemoryLink[] joined = links.get(ends);
        if (joined == null) {
            joined = join(ends);
            links.put(ends, joined);
            callers(peer, engine).add(rank);
        }
        return joined[rank == ends.low ? 0 : 1];
    }

    private MemoryLink[] join(Ends ends) {
        try {
            return MemoryLink.join(ends.low, ends.high, MemoryLink.DEFAULT_BYTES, MemoryLink.DEFAULT_FRAME_LIMIT);
        } catch (final OutOfMemoryError e) {
            final Error named = new OutOfMemoryError("no direct memory for a link between the ranks " + ends.low
                    + " and "
                    + ends.high + ", beside " + links.size() + " links of "
                    + 2 * MemoryLink.lengthFor(MemoryLink.DEFAULT_BYTES, MemoryLink.DEFAULT_FRAME_LIMIT)
                    + " bytes: raise -XX:MaxDirectMemorySize, or use the transport \"" + NodeFiles.MAPPED + "\"");
            named.initCause(e);
            throw named;
        }
    }

    /** Returns the queue of the ranks that have made links to an engine. */
    synchronized Queue<Integer> callers(int rank, int engine) {
        return callers.computeIfAbsent(new End(rank, engine), unknown -> new ConcurrentLinkedQueue<>());
    }
}
