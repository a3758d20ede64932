package org.segno.dma;

/**
 * Which injection FIFOs of a node one of its engines serves: each FIFO is served by one engine, and by no other.
 *
 * @param engine number of the engine, below {@code engines}
 * @param engines engines of the node
 * @param byContext true if an engine serves all FIFOs of the context of its number, because the thread that holds that context
 *     runs it; false if the FIFOs of each context are dealt out to all engines
 */
public record EngineShare(int engine, int engines, boolean byContext) {
    /** The only engine of a node. */
    public static final EngineShare ALL = new EngineShare(0, 1, false);

    boolean serves(int context, int fifo) {
        return engine == (byContext ? context : (context + fifo) % engines);
    }
}
