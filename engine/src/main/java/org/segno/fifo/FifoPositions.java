package org.segno.fifo;

import org.jspecify.annotations.Nullable;
import org.segno.memory.NodeMemory;

/** How far every ordinary injection FIFO of a node had been filled at a time. Any thread. */
public final class FifoPositions {
    private final FifoMetadata[] fifos;
    private final long[] tails;
    private final int fifosPerContext;

    /** The positions of now. */
    public FifoPositions(NodeMemory node) {
        this.fifosPerContext = node.layout().dimensions().fifos();
        this.fifos = new FifoMetadata[node.layout().dimensions().contexts() * fifosPerContext];
        this.tails = new long[fifos.length];
        for (int i = 0; i < fifos.length; i++) {
            fifos[i] = new FifoMetadata(node, i / fifosPerContext, i % fifosPerContext);
            tails[i] = fifos[i].tailAcquire();
        }
    }

    /** A FIFO with something in it that was there then, in words, or null. One that the engine serves no more holds up nobody. */
    public @Nullable String awaited() {
        for (int i = 0; i < fifos.length; i++) {
            if (fifos[i].headAcquire() < tails[i] && fifos[i].quarantineAcquire() == 0) {
                return "what was injected before into FIFO " + i % fifosPerContext + " of context "
                        + i / fifosPerContext;
            }
        }
        return null;
    }
}
