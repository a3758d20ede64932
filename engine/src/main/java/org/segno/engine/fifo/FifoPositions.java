package org.segno.engine.fifo;

import org.jspecify.annotations.Nullable;
import org.segno.engine.memory.NodeMemory;

/** Snapshot of the tails of all ordinary injection FIFOs of a node. Usable from any thread. */
public final class FifoPositions {
    /** Continues a text about the engine of a named context, for an engine that runs only in its passes. */
    public static final String REMEDY = " (under INVOKER, advance that context)";

    private final FifoMetadata[] fifos;
    private final long[] tails;
    private final int fifosPerContext;

    /** Takes a snapshot of the current tails. */
    public FifoPositions(NodeMemory node) {
        this.fifosPerContext = node.layout().dimensions().fifos();
        this.fifos = new FifoMetadata[node.layout().dimensions().contexts() * fifosPerContext];
        this.tails = new long[fifos.length];
        for (int i = 0; i < fifos.length; i++) {
            fifos[i] = new FifoMetadata(node, i / fifosPerContext, i % fifosPerContext);
            tails[i] = fifos[i].tailAcquire();
        }
    }

    /**
     * Describes a FIFO that still holds descriptors from the time of the snapshot, or returns null if there is none. A
     * FIFO that the engine no longer serves does not count.
     */
    public @Nullable String awaited() {
        for (int i = 0; i < fifos.length; i++) {
            if (fifos[i].headAcquire() < tails[i] && fifos[i].quarantineAcquire() == 0) {
                return "descriptors injected earlier into FIFO " + i % fifosPerContext + " of context "
                        + i / fifosPerContext + REMEDY;
            }
        }
        return null;
    }
}
