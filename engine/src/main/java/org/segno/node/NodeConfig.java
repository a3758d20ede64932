package org.segno.node;

import java.util.function.Supplier;
import org.agrona.concurrent.BusySpinIdleStrategy;
import org.agrona.concurrent.IdleStrategy;
import org.jspecify.annotations.Nullable;
import org.segno.job.Platform;
import org.segno.memory.NodeDimensions;
import org.segno.memory.NodeLayout;
import org.segno.operation.MessageLimits;
import org.segno.work.ThreadLevel;

/**
 * How large a node is and who runs its engine. Immutable; every {@code with} answers a changed copy.
 *
 * <p>As it stands a node takes less than 4 MB of its job's directory and has no windows: say what you need. How messages travel can be
 * set from outside too ({@link NodeEnvironment}), for programs that do not say it themselves.
 */
public final class NodeConfig {
    /** Which thread runs a node's DMA engine. */
    public enum Threading {
        /** A thread of its own, busy while it spins: progress without the application. The default where cores allow. */
        DEDICATED,

        /**
         * One thread for all nodes of the process that say so: progress without the application, at the price of one core for all of
         * them. It waits as the first of them was configured to.
         */
        SHARED,

        /** The application's thread, whenever it advances: lowest latency where cores are few, and the default there. */
        INVOKER
    }

    /** Bytes of all reception lanes together unless said otherwise: enough for 256 ranks. */
    public static final long DEFAULT_LANE_BUDGET_BYTES = 1 << 20;

    private static final int DESCRIPTOR_LENGTH = 64;

    private @Nullable Threading threading;
    private @Nullable Supplier<IdleStrategy> idle;
    private ThreadLevel threadLevel = ThreadLevel.SERIALIZED;
    private int contexts = 1;
    private int engines = 1;
    private int fifos = NodeDimensions.DEFAULT_FIFOS;
    private int fifoSlots = 1024;
    private long patternBufferBytes = 1 << 20;
    private int patterns = 1 << 14;
    private int runSlots = 1024;
    private int injectionCounters = 256;
    private int receptionCounters = 256;
    private int windows = 64;
    private int names = 64;
    private long laneBudgetBytes = DEFAULT_LANE_BUDGET_BYTES;
    private long windowBytes;
    private MessageLimits messageLimits;

    private NodeConfig(MessageLimits limits) {
        Platform.requireFlags();
        messageLimits = limits;
    }

    private NodeConfig(NodeConfig from) {
        threading = from.threading;
        idle = from.idle;
        threadLevel = from.threadLevel;
        contexts = from.contexts;
        engines = from.engines;
        fifos = from.fifos;
        fifoSlots = from.fifoSlots;
        patternBufferBytes = from.patternBufferBytes;
        patterns = from.patterns;
        runSlots = from.runSlots;
        injectionCounters = from.injectionCounters;
        receptionCounters = from.receptionCounters;
        windows = from.windows;
        names = from.names;
        laneBudgetBytes = from.laneBudgetBytes;
        windowBytes = from.windowBytes;
        messageLimits = from.messageLimits;
    }

    /**
     * The defaults, with the limits of messages that properties and variables of this process set.
     *
     * @throws org.segno.status.SegnoException if one of those is malformed; names it
     * @throws IllegalStateException if this JVM was started without the flag that the engine needs; the message is the remedy
     */
    public static NodeConfig defaults() {
        return new NodeConfig(NodeEnvironment.ofThisProcess());
    }

    /** Who runs the engine; unless said, {@link Threading#DEDICATED} where each rank of the host has two cores. */
    public NodeConfig withThreading(Threading value) {
        final NodeConfig copy = new NodeConfig(this);
        copy.threading = value;
        return copy;
    }

    /**
     * How contexts, and a dedicated engine, wait; unless said, spinning where cores allow, else spin, yield, park. The supplier makes
     * another one whenever it is asked.
     */
    public NodeConfig withIdle(Supplier<IdleStrategy> value) {
        final NodeConfig copy = new NodeConfig(this);
        copy.idle = value;
        return copy;
    }

    /** Which threads use the node's contexts; unless said, {@link ThreadLevel#SERIALIZED}. Checked only where Java's assertions are on. */
    public NodeConfig withThreadLevel(ThreadLevel value) {
        final NodeConfig copy = new NodeConfig(this);
        copy.threadLevel = value;
        return copy;
    }

    /**
     * Threading points, 1 to 64. Under {@link Threading#INVOKER} each has an engine of its own, run by the thread that holds it. All
     * ranks of a job have as many engines.
     *
     * @throws IllegalArgumentException if it is out of range
     */
    public NodeConfig withContexts(int value) {
        NodeDimensions.requireContexts(value);
        final NodeConfig copy = new NodeConfig(this);
        copy.contexts = value;
        return copy;
    }

    /**
     * DMA engines of the node, 1 to 64, where they have threads of their own: the FIFOs of each context are dealt out to them in turn.
     * Under {@link Threading#INVOKER} there are as many as contexts, whatever is said here. All ranks of a job have as many engines.
     */
    public NodeConfig withEngines(int value) {
        final NodeConfig copy = new NodeConfig(this);
        copy.engines = value;
        return copy;
    }

    /**
     * Injection FIFOs per context, 1 to 126: its own and, the last, that for what its handlers send among them, which cannot send where
     * there is one alone. It has two more for recordings and replays.
     */
    public NodeConfig withFifos(int value) {
        final NodeConfig copy = new NodeConfig(this);
        copy.fifos = value;
        return copy;
    }

    /** Descriptors per injection FIFO, a power of two. */
    public NodeConfig withFifoSlots(int value) {
        final NodeConfig copy = new NodeConfig(this);
        copy.fifoSlots = value;
        return copy;
    }

    /** Bytes of recorded sections per context, 64 per descriptor. */
    public NodeConfig withPatternBufferBytes(long value) {
        final NodeConfig copy = new NodeConfig(this);
        copy.patternBufferBytes = value;
        return copy;
    }

    /** Patterns that a context can hold at a time. */
    public NodeConfig withPatterns(int value) {
        final NodeConfig copy = new NodeConfig(this);
        copy.patterns = value;
        return copy;
    }

    /** Replays that may be queued per context, a power of two. */
    public NodeConfig withRunSlots(int value) {
        final NodeConfig copy = new NodeConfig(this);
        copy.runSlots = value;
        return copy;
    }

    /** Injection and reception counters, and names under which they can be published; each context's barrier takes a reception counter. */
    public NodeConfig withCounters(int injection, int reception) {
        final NodeConfig copy = new NodeConfig(this);
        copy.injectionCounters = injection;
        copy.receptionCounters = reception;
        copy.names = Math.max(names, reception);
        return copy;
    }

    /**
     * Bytes of all reception lanes together, shared by one lane for each context and rank of the job. A lane has a power of two of bytes, 4
     * KiB at least and 64 KiB at most, and a message at most a quarter of it.
     */
    public NodeConfig withLaneBudgetBytes(long value) {
        final NodeConfig copy = new NodeConfig(this);
        copy.laneBudgetBytes = value;
        return copy;
    }

    /**
     * Bytes of registered memory, from which windows are opened: 0 unless said, 16 TiB at most, all of it reserved at join. More than 2
     * GiB are mapped in segments that lie side by side: to windows and descriptors they are one range.
     */
    public NodeConfig withWindowBytes(long value) {
        final NodeConfig copy = new NodeConfig(this);
        copy.windowBytes = value;
        return copy;
    }

    /**
     * Bytes of metadata and payload together up to which a {@code Messenger} sends a message immediately: they are taken when it is
     * called. 0 to 32, and 32 unless said.
     *
     * @throws IllegalArgumentException if it is out of range
     */
    public NodeConfig withImmediateLimitBytes(int value) {
        final NodeConfig copy = new NodeConfig(this);
        copy.messageLimits = new MessageLimits(value, messageLimits.eagerBytes());
        return copy;
    }

    /**
     * Bytes of metadata and payload together up to which a {@code Messenger} sends a message eagerly, as one record of the target's lane,
     * copied twice; a longer one goes by rendezvous, copied once. A quarter of that lane is the most in any case, and the default, 16
     * KiB, is that of the longest. 0 sends all that has a payload and is not immediate by rendezvous.
     *
     * @throws IllegalArgumentException if it is negative
     */
    public NodeConfig withEagerLimitBytes(long value) {
        final NodeConfig copy = new NodeConfig(this);
        copy.messageLimits = new MessageLimits(messageLimits.immediateBytes(), value);
        return copy;
    }

    /**
     * Bytes that the file of such a node takes in a job of {@code size} ranks, its windows among them.
     *
     * @throws IllegalArgumentException if there cannot be such a node; names the setting
     */
    public long fileBytes(int size) {
        return NodeLayout.of(dimensions(size)).fileLength();
    }

    /** The dimensions of a node in a job of {@code size} ranks, all on one host. */
    NodeDimensions dimensions(int size) {
        return dimensions(size, size);
    }

    /** The dimensions of a node in a job of {@code size} ranks, {@code localSize} of them on its host. */
    NodeDimensions dimensions(int size, int localSize) {
        final int engineCount = isInvoked(localSize) ? contexts : engines;
        // What is wrong with the size the dimensions say.
        final long lanes = Math.max(1, (long) contexts * size * Math.max(1, engineCount));
        final long laneBytes =
                Math.min(NodeDimensions.MAX_LANE_BYTES, Long.highestOneBit(Math.max(1, laneBudgetBytes / lanes)));
        if (laneBytes < NodeDimensions.MIN_LANE_BYTES) {
            throw new IllegalArgumentException("laneBudgetBytes must be at least " + contexts + " contexts x " + size
                    + " ranks x " + engineCount + " engines x " + NodeDimensions.MIN_LANE_BYTES + " = "
                    + lanes * NodeDimensions.MIN_LANE_BYTES
                    + ": laneBudgetBytes=" + laneBudgetBytes);
        }
        if (patternBufferBytes <= 0
                || patternBufferBytes % DESCRIPTOR_LENGTH != 0
                || patternBufferBytes > (long) Integer.MAX_VALUE) {
            throw new IllegalArgumentException("patternBufferBytes must be a positive multiple of " + DESCRIPTOR_LENGTH
                    + " below 2 GiB: patternBufferBytes=" + patternBufferBytes);
        }
        return new NodeDimensions(
                size,
                contexts,
                engineCount,
                fifos,
                fifoSlots,
                (int) (patternBufferBytes / DESCRIPTOR_LENGTH),
                patterns,
                runSlots,
                injectionCounters,
                receptionCounters,
                windows,
                names,
                (int) laneBytes,
                windowBytes);
    }

    /** Who runs the engine where {@code localSize} ranks share the host. */
    Threading threading(int localSize) {
        return threading != null
                ? threading
                : (2L * localSize <= Platform.cores() ? Threading.DEDICATED : Threading.INVOKER);
    }

    MessageLimits messageLimits() {
        return messageLimits;
    }

    ThreadLevel threadLevel() {
        return threadLevel;
    }

    /** True if the application's threads run the engines. */
    boolean isInvoked(int localSize) {
        return threading(localSize) == Threading.INVOKER;
    }

    /** How to wait where {@code localSize} ranks share the host. */
    Supplier<IdleStrategy> idle(int localSize) {
        final Supplier<IdleStrategy> chosen = idle;
        if (chosen != null) {
            return () -> made(chosen.get());
        }
        final int spinningThreads = switch (threading(localSize)) {
            case DEDICATED -> localSize * (engines + contexts);
            case SHARED -> localSize * (1 + contexts);
            case INVOKER -> localSize * contexts;
        };
        if (spinningThreads <= Platform.cores()) {
            return BusySpinIdleStrategy::new;
        }
        return OversubscribedIdle::new;
    }

    private static IdleStrategy made(@Nullable IdleStrategy strategy) {
        if (strategy == null) {
            throw new IllegalArgumentException(
                    "the supplier given to withIdle must make an idle strategy whenever it is asked: it answered null");
        }
        return strategy;
    }
}
