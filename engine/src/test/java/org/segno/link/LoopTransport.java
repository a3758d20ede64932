package org.segno.link;

import java.nio.file.Path;
import java.util.HashMap;
import java.util.Map;
import org.segno.engine.memory.NodeDimensions;
import org.segno.engine.memory.NodeFile;
import org.segno.engine.memory.NodeHeader;

/**
 * A transport by the public interfaces alone, which a node finds as it finds any other. Its links join ranks of one
 * process and deliver only what is flushed.
 */
public final class LoopTransport implements TransportProvider {
    /** Name of the transport. */
    public static final String NAME = "loop";

    /** Length in bytes of the longest frame. */
    public static final int FRAME_LIMIT = 1 << 10;

    private static final int BYTES = 1 << 14;
    private static final Map<Ends, Link[]> LINKS = new HashMap<>();

    /** Two ranks of the job in a directory, the lower one first, and the engine of each. */
    private record Ends(Path job, int low, int high, int engine) {}

    /** Creates the transport, for {@link java.util.ServiceLoader}. */
    public LoopTransport() {}

    /** Returns the number of links of the jobs below a directory. */
    public static long links(Path parent) {
        synchronized (LINKS) {
            return LINKS.keySet().stream()
                    .filter(ends -> ends.job.startsWith(parent))
                    .count();
        }
    }

    @Override
    public String name() {
        return NAME;
    }

    @Override
    public Transport join(TransportJob job) {
        return new Transport() {
            @Override
            public LinkedPeer connect(NodeHeader.Identity peer) {
                final NodeFile opened = NodeFile.open(job.nodeFile(peer.rank()), peer, job.size());
                return new LoopPeer(
                        job.directory(),
                        peer.rank(),
                        opened,
                        opened.mapAsPeer().layout().dimensions(),
                        job.incoming());
            }

            @Override
            public void close() {
                // Each peer is closed by its user.
            }
        };
    }

    private record LoopPeer(Path job, int rank, NodeFile file, NodeDimensions dimensions, IncomingLinks incoming)
            implements LinkedPeer {
        @Override
        public Link link(int node, int engine) {
            synchronized (LINKS) {
                final Ends ends = new Ends(job, Math.min(node, rank), Math.max(node, rank), engine);
                Link[] joined = LINKS.get(ends);
                if (joined == null) {
                    joined = FlushedLink.withLateReplies(MemoryLink.join(ends.low, ends.high, BYTES, FRAME_LIMIT));
                    LINKS.put(ends, joined);
                    incoming.made(rank, node, engine);
                }
                return joined[node == ends.low ? 0 : 1];
            }
        }

        @Override
        public void close() {
            file.close();
        }
    }
}
