package org.segno.engine.memory;

/** Dimensions of nodes in tests: small, except for the numbers that a test sets. */
public final class NodeSize {
    private int size = 2;
    private int mapped;
    private int contexts = 1;
    private int engines = 1;
    private int fifos = 1;
    private int fifoSlots = 16;
    private int patternSlots = 64;
    private int patterns = 16;
    private int runSlots = 4;
    private int counters = 16;
    private int laneBytes = NodeDimensions.MIN_LANE_BYTES;
    private long windowBytes = 1 << 16;

    private NodeSize() {}

    public static NodeSize small() {
        return new NodeSize();
    }

    public NodeSize ranks(int value) {
        size = value;
        return this;
    }

    /** Sets the number of ranks that map the node. Without this call, all do. */
    public NodeSize mapped(int value) {
        mapped = value;
        return this;
    }

    public NodeSize contexts(int value) {
        contexts = value;
        return this;
    }

    public NodeSize engines(int value) {
        engines = value;
        return this;
    }

    public NodeSize fifos(int value) {
        fifos = value;
        return this;
    }

    public NodeSize fifoSlots(int value) {
        fifoSlots = value;
        return this;
    }

    public NodeSize patternSlots(int value) {
        patternSlots = value;
        return this;
    }

    public NodeSize patterns(int value) {
        patterns = value;
        return this;
    }

    public NodeSize runSlots(int value) {
        runSlots = value;
        return this;
    }

    public NodeSize counters(int value) {
        counters = value;
        return this;
    }

    public NodeSize laneBytes(int value) {
        laneBytes = value;
        return this;
    }

    public NodeSize windowBytes(long value) {
        windowBytes = value;
        return this;
    }

    public NodeDimensions dimensions() {
        return new NodeDimensions(
                size,
                mapped == 0 ? size : mapped,
                contexts,
                engines,
                fifos,
                fifoSlots,
                patternSlots,
                patterns,
                runSlots,
                counters,
                counters,
                16,
                16,
                laneBytes,
                windowBytes);
    }
}
