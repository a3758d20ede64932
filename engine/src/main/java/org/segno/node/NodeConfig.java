package org.segno.node;

import java.nio.file.Path;
import java.util.List;
import java.util.Objects;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.agrona.concurrent.IdleStrategy;
import org.jspecify.annotations.Nullable;
import org.segno.context.CollectiveSettings;
import org.segno.engine.job.AgronaVersion;
import org.segno.engine.job.Platform;
import org.segno.engine.memory.NodeDimensions;
import org.segno.engine.memory.NodeLayout;
import org.segno.engine.work.ParkingIdle;
import org.segno.operation.MessageLimits;
import org.segno.operation.ThreadLevel;

/**
 * Dimensions of a node and the threading of its engine. Immutable; every {@code with} method returns a changed copy.
 *
 * <p>A node with the defaults occupies less than 4 MB of its job's directory and has no windows. Each setting can also
 * be made from outside, by a property or a variable ({@link NodeSetting}), for programs that do not make it: a call of
 * the program overrides the property, and the property overrides the variable.
 */
public final class NodeConfig implements Cloneable {
    /** Thread that runs a node's DMA engine. */
    public enum Threading {
        /**
         * A thread of the engine's own, which is busy while it spins. It makes progress without the application. The
         * default if there are enough cores.
         */
        DEDICATED,

        /**
         * One thread for all nodes of the process with this setting. It makes progress without the application and
         * occupies one core for all of them. It uses the idle strategy of the first node.
         */
        SHARED,

        /**
         * The application's thread, whenever it advances. It has the lowest latency if cores are few, and is the
         * default there.
         */
        INVOKER
    }

    /** Default number of bytes of all reception lanes together: enough for 256 ranks. */
    public static final long DEFAULT_LANE_BUDGET_BYTES = 1 << 20;

    /** Default number of bytes of recorded sections of a context. */
    public static final long DEFAULT_PATTERN_BUFFER_BYTES = 1 << 20;

    /** Default maximum number of patterns of a context. */
    public static final int DEFAULT_PATTERNS = 1 << 14;

    private static final int DESCRIPTOR_LENGTH = 64;

    private @Nullable Threading threading;
    private @Nullable Supplier<IdleStrategy> idle;
    private boolean parks;
    private ThreadLevel threadLevel = ThreadLevel.SERIALIZED;
    private int contexts = 1;
    private int engines = 1;
    private int fifos = NodeDimensions.DEFAULT_FIFOS;
    private int fifoSlots = 1024;
    private long patternBufferBytes = DEFAULT_PATTERN_BUFFER_BYTES;
    private int patterns = DEFAULT_PATTERNS;
    private int runSlots = 1024;
    private int injectionCounters = 256;
    private int receptionCounters = 256;
    private int windows = 64;
    private int names = 64;
    private long laneBudgetBytes = DEFAULT_LANE_BUDGET_BYTES;
    private long windowBytes;
    private List<String> transport = List.of(NodeFiles.MAPPED, NodeFiles.NETWORK);
    private CollectiveSettings collectives = CollectiveSettings.DEFAULT;
    private MessageLimits messageLimits;

    private NodeConfig() {
        Platform.requireFlags();
        AgronaVersion.check();
        messageLimits = MessageLimits.DEFAULT;
    }

    /** Returns the defaults of Segno, whatever properties and variables of this process set. */
    static NodeConfig builtIn() {
        return new NodeConfig();
    }

    /**
     * Returns the defaults, with the settings that properties and variables of this process make.
     *
     * @throws org.segno.status.SegnoException if one of those is malformed; the message names it
     * @throws IllegalStateException if this JVM was started without the flag that the engine needs, or with another
     *     major version of Agrona than Segno was built with; the message has the remedy
     */
    public static NodeConfig defaults() {
        return NodeEnvironment.ofThisProcess(builtIn());
    }

    /**
     * Sets the thread that runs the engine. The default is {@link Threading#DEDICATED} if this process may run on two
     * cores for each rank of the host.
     */
    public NodeConfig withThreading(Threading value) {
        Objects.requireNonNull(value, "threading");
        return with(copy -> copy.threading = value);
    }

    /**
     * Sets the idle strategy of contexts and of a dedicated engine. The default spins for about 4 us and then yields;
     * where the threads of the job's ranks on this host outnumber the cores on which they may run, it also parks. The
     * supplier returns a new strategy at every call.
     */
    public NodeConfig withIdle(Supplier<IdleStrategy> value) {
        Objects.requireNonNull(value, "idle");
        return with(copy -> {
            copy.idle = value;
            copy.parks = false;
        });
    }

    /** Sets the idle strategy by its name. */
    NodeConfig withIdling(Idling value) {
        return with(copy -> {
            copy.idle = value.supplier();
            copy.parks = value == Idling.PARK;
        });
    }

    /** Sets an idle strategy with which waits park at doorbells. */
    NodeConfig withParking(Supplier<ParkingIdle> value) {
        return with(copy -> {
            copy.idle = value::get;
            copy.parks = true;
        });
    }

    /**
     * Sets the threads that may use the node's contexts. The default is {@link ThreadLevel#SERIALIZED}. It is checked
     * only if Java's assertions are enabled.
     */
    public NodeConfig withThreadLevel(ThreadLevel value) {
        Objects.requireNonNull(value, "threadLevel");
        return with(copy -> copy.threadLevel = value);
    }

    /**
     * Sets the number of threading points, 1 to 64. Under {@link Threading#INVOKER} each has its own engine, which the
     * thread that holds it runs. All ranks of a job have the same number of engines.
     *
     * @throws IllegalArgumentException if it is out of range
     */
    public NodeConfig withContexts(int value) {
        return with(copy -> copy.contexts = value);
    }

    /**
     * Sets the number of DMA engines of the node, 1 to 64, if they have threads of their own. The FIFOs of each context
     * are distributed over them in turn. Under {@link Threading#INVOKER} there is one engine per context, and this
     * setting has no effect. All ranks of a job have the same number of engines.
     */
    public NodeConfig withEngines(int value) {
        return with(copy -> copy.engines = value);
    }

    /**
     * Sets the number of injection FIFOs per context, 1 to 126. They include the context's own and, as the last, the
     * one for the sends of its handlers. With only one FIFO, handlers cannot send. Each context has two more FIFOs for
     * recordings and replays.
     */
    public NodeConfig withFifos(int value) {
        return with(copy -> copy.fifos = value);
    }

    /** Sets the number of descriptors per injection FIFO, a power of two. */
    public NodeConfig withFifoSlots(int value) {
        return with(copy -> copy.fifoSlots = value);
    }

    /** Sets the number of bytes of recorded sections per context, 64 per descriptor. */
    public NodeConfig withPatternBufferBytes(long value) {
        return with(copy -> copy.patternBufferBytes = value);
    }

    /** Sets the maximum number of patterns of a context at a time. */
    public NodeConfig withPatterns(int value) {
        return with(copy -> copy.patterns = value);
    }

    /** Sets the maximum number of queued replays per context, a power of two. */
    public NodeConfig withRunSlots(int value) {
        return with(copy -> copy.runSlots = value);
    }

    /**
     * Sets the numbers of injection counters and reception counters, and of names under which they can be published.
     * Each context's barrier uses a reception counter.
     */
    public NodeConfig withCounters(int injection, int reception) {
        return with(copy -> {
            copy.injectionCounters = injection;
            copy.receptionCounters = reception;
            copy.names = Math.max(names, reception);
        });
    }

    /** Sets the number of injection counters alone. */
    NodeConfig withInjectionCounters(int value) {
        return with(copy -> copy.injectionCounters = value);
    }

    /** Sets the number of reception counters alone. */
    NodeConfig withReceptionCounters(int value) {
        return withCounters(injectionCounters, value);
    }

    /**
     * Sets the number of bytes of all reception lanes together, shared by one lane for each context and rank of the
     * job that maps this node's memory. The length of a lane is a power of two, at least 4 KiB and at most 256 KiB. A
     * message has at most a quarter of it. Ranks that links reach share as many bytes of process memory: each has a
     * lane while it sends messages, of 4 KiB unless it sends longer ones. The replies of their handlers may take a
     * quarter more. Lanes of ranks that do nothing any more, and into contexts that do not advance, come on top of that
     * if others need memory.
     */
    public NodeConfig withLaneBudgetBytes(long value) {
        return with(copy -> copy.laneBudgetBytes = value);
    }

    /**
     * Sets the number of bytes of registered memory, from which windows are opened. The default is 0, the maximum 16
     * TiB. All of it is reserved at join. More than 2 GiB are mapped in adjacent segments, which are one range for
     * windows and descriptors.
     */
    public NodeConfig withWindowBytes(long value) {
        return with(copy -> copy.windowBytes = value);
    }

    /**
     * Sets the maximum number of windows that are open at a time, 1 to 65,536; the default is 64. Each takes 32 bytes
     * of the node's file, whether it is open or not. The clients of a node share them. A geometry and each of its
     * recorded collectives have a window of their own.
     *
     * @throws IllegalArgumentException if it is out of range
     */
    public NodeConfig withWindows(int value) {
        return with(copy -> copy.windows = value);
    }

    /**
     * Sets the maximum length of metadata and payload together of a message that a {@code Messenger} sends immediately,
     * in bytes. Such a message is copied during the call. The value is 0 to 32; the default is 32.
     *
     * @throws IllegalArgumentException if it is out of range
     */
    public NodeConfig withImmediateLimitBytes(int value) {
        return with(copy -> copy.messageLimits =
                new MessageLimits(value, messageLimits.eagerBytes(), messageLimits.deferredMessages()));
    }

    /**
     * Sets the maximum length of metadata and payload together of a message that a {@code Messenger} sends eagerly, in
     * bytes. An eager message is one record of the target's lane and is copied twice. A longer one goes by rendezvous
     * and is copied once. A quarter of that lane is the maximum in any case. The default is 16 KiB. With 0, every
     * message with a payload that is not immediate goes by rendezvous.
     *
     * @throws IllegalArgumentException if it is negative
     */
    public NodeConfig withEagerLimitBytes(long value) {
        return with(copy -> copy.messageLimits =
                new MessageLimits(messageLimits.immediateBytes(), value, messageLimits.deferredMessages()));
    }

    /**
     * Sets the number of received long messages that a context may have deferred at a time, 0 to 65,536; the default is
     * 64. Further ones wait in the lanes of their senders. See {@code ReceivedMessage.defer}.
     *
     * @throws IllegalArgumentException if it is out of range
     */
    public NodeConfig withDeferredMessages(int value) {
        return with(copy -> copy.messageLimits =
                new MessageLimits(messageLimits.immediateBytes(), messageLimits.eagerBytes(), value));
    }

    /**
     * Sets the transports of the node, in the order of preference: ranks of one process use the first one, ranks of
     * different processes the first one but {@code process}, and ranks of different hosts the first one but
     * {@code process} and {@code shm}. The default is {@code shm, aeron}: the memory of all ranks of a host is mapped,
     * and links over Aeron join ranks of different hosts. {@code aeron} alone makes links within a host, too.
     * {@code process} joins ranks of one process by links, as if they were on different hosts; it is for tests. All
     * ranks of a job must have the same.
     *
     * @throws IllegalArgumentException if there is none, or a name has other characters than lower-case letters,
     *     digits and hyphens
     */
    public NodeConfig withTransport(String... names) {
        if (names.length == 0) {
            throw new IllegalArgumentException("withTransport needs at least one name of a transport");
        }
        for (final String name : names) {
            if (!name.matches("[a-z0-9-]+")) {
                throw new IllegalArgumentException("the name of a transport is made of lower-case letters, digits and"
                        + " hyphens, \"shm\" for instance: '" + name + "'");
            }
        }
        return with(copy -> copy.transport = List.of(names));
    }

    /**
     * Sets a file with the table that selects algorithms of collectives, in the form of {@code AlgorithmTable.of}:
     * {@code bench collectives --algorithms FILE} writes one. Each geometry of the node reads it when it is created,
     * unless it is created from another one. A file that it cannot read is an error at all members then, which names
     * the path and the line. All ranks use equal tables. The default is the library's table.
     */
    public NodeConfig withAlgorithmTable(Path file) {
        Objects.requireNonNull(file, "file");
        return with(copy -> copy.collectives = new CollectiveSettings(file, collectives.checksRounds()));
    }

    /**
     * Sets whether geometries of this node check each round of their collectives, not only the first call: see {@code
     * Geometry.checksRounds}. All ranks set the same. For tests of applications; the default is false.
     */
    public NodeConfig withRoundChecks(boolean value) {
        return with(copy -> copy.collectives = new CollectiveSettings(collectives.algorithmTable(), value));
    }

    /** Returns the settings of geometries. */
    CollectiveSettings collectives() {
        return collectives;
    }

    /** Returns the names of the transports, in the order of preference. */
    List<String> transport() {
        return transport;
    }

    /**
     * Returns a copy with one change. The fields are the only list of the settings, because a clone has all of them.
     */
    private NodeConfig with(Consumer<NodeConfig> change) {
        try {
            final NodeConfig copy = (NodeConfig) clone();
            change.accept(copy);
            copy.require();
            return copy;
        } catch (final CloneNotSupportedException e) {
            throw new AssertionError(e);
        }
    }

    /**
     * Returns the length in bytes of the file of such a node in a job of {@code size} ranks, including its windows.
     *
     * @throws IllegalArgumentException if such a node is impossible; the message names the setting
     */
    public long fileBytes(int size) {
        return NodeLayout.of(dimensions(size)).fileLength();
    }

    /** Returns the dimensions of a node in a job of {@code size} ranks, all on one host. */
    NodeDimensions dimensions(int size) {
        return dimensions(size, size, size);
    }

    /**
     * Returns the dimensions of a node in a job of {@code size} ranks, {@code mapped} of which map its memory, with
     * {@code localSize} of them on its host.
     */
    NodeDimensions dimensions(int size, int mapped, int localSize) {
        final int engineCount = isInvoked(localSize) ? contexts : engines;
        // The constructor of the dimensions reports an invalid size.
        final long lanes = Math.max(1, (long) contexts * mapped * Math.max(1, engineCount));
        final long laneBytes =
                Math.min(NodeDimensions.MAX_LANE_BYTES, Long.highestOneBit(Math.max(1, laneBudgetBytes / lanes)));
        if (laneBytes < NodeDimensions.MIN_LANE_BYTES && size <= NodeDimensions.MAX_SIZE) {
            throw new IllegalArgumentException(
                    "withLaneBudgetBytes must be at least " + contexts + " contexts x " + mapped
                            + " ranks x " + engineCount + " engines x " + NodeDimensions.MIN_LANE_BYTES + " = "
                            + lanes * NodeDimensions.MIN_LANE_BYTES
                            + ": laneBudgetBytes=" + laneBudgetBytes);
        }
        return dimensions(size, mapped, engineCount, (int) laneBytes);
    }

    /** Returns the bytes of all lanes from ranks that map the node's memory, or from those that links reach. */
    long laneBudgetBytes() {
        return laneBudgetBytes;
    }

    /** Checks what does not depend on the job. */
    private void require() {
        if (patternBufferBytes <= 0
                || patternBufferBytes % DESCRIPTOR_LENGTH != 0
                || patternBufferBytes > (long) Integer.MAX_VALUE) {
            throw new IllegalArgumentException("withPatternBufferBytes must be a positive multiple of "
                    + DESCRIPTOR_LENGTH + " below 2 GiB: patternBufferBytes=" + patternBufferBytes);
        }
        dimensions(1, 1, engines, NodeDimensions.MIN_LANE_BYTES);
    }

    private NodeDimensions dimensions(int size, int mapped, int engineCount, int laneBytes) {
        return new NodeDimensions(
                size,
                mapped,
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
                laneBytes,
                windowBytes);
    }

    /** Returns the threading if {@code localSize} ranks share the host. */
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

    /** Returns true if the application's threads run the engines. */
    boolean isInvoked(int localSize) {
        return threading(localSize) == Threading.INVOKER;
    }

    /** Returns the supplier of idle strategies if {@code localSize} ranks share the host. */
    Supplier<IdleStrategy> idle(int localSize) {
        final Supplier<IdleStrategy> chosen = idle;
        if (chosen != null) {
            return () -> made(chosen.get());
        }
        return isOversubscribed(localSize) ? OversubscribedIdle::new : SpinThenYieldIdle::new;
    }

    /** Returns true if waits park at doorbells if {@code localSize} ranks share the host. */
    boolean parks(int localSize) {
        return parks || (idle == null && isOversubscribed(localSize));
    }

    /** Returns true if there may be fewer cores than threads that spin, as far as a rank knows from itself. */
    boolean isOversubscribed(int localSize) {
        return localSize * spinningThreads(localSize) > Platform.cores();
    }

    /** Returns the number of threads that spin in each of {@code localSize} ranks. */
    int spinningThreads(int localSize) {
        return switch (threading(localSize)) {
            case DEDICATED -> engines + contexts;
            case SHARED -> 1 + contexts;
            case INVOKER -> contexts;
        };
    }

    /** Returns this configuration for ranks that have a core for each of their threads: each is bound to its own. */
    NodeConfig onOwnCores() {
        return idle == null ? withIdle(SpinThenYieldIdle::new) : this;
    }

    private static IdleStrategy made(@Nullable IdleStrategy strategy) {
        if (strategy == null) {
            throw new IllegalArgumentException(
                    "the supplier passed to withIdle must return an idle strategy at every call: it returned null");
        }
        return strategy;
    }
}
