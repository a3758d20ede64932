package org.segno.engine.memory;

import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicIntegerArray;
import org.jspecify.annotations.Nullable;

/**
 * A rank of the job as one node knows it: its dimensions, its names and the states of its contexts. They lie in memory
 * that this process has mapped, or, for a rank that is reached over links, in a mirror of what it sends. The node knows
 * itself as mapped.
 *
 * <p>Applications read; an engine alone writes to its own part of a mirror. Any thread may look up learned names.
 */
public final class Peer {
    /** Name of a counter in one of its uses. */
    private record LearnedName(String name, int incarnation) {}

    /** Result of {@link #earlyCount}: the engine has not carried the count out. */
    public static final int WAITING = -1;

    /** Result of {@link #earlyCount}: the engine has refused the count, because another client had the context. */
    public static final int REFUSED = -2;

    private final int rank;
    private final NodeDimensions dimensions;
    private final @Nullable NodeMemory mapped;
    private final ContextStates[] states;
    private final Map<Integer, LearnedName> learned = new ConcurrentHashMap<>();
    private final Map<String, NameLookups.Found> clients = new ConcurrentHashMap<>();

    /** By context, the result of an early count above {@link #WAITING}: zero at first. */
    private final AtomicIntegerArray earlyCounts;

    private Peer(int rank, NodeDimensions dimensions, @Nullable NodeMemory mapped, ContextStates[] states) {
        this.rank = rank;
        this.dimensions = dimensions;
        this.mapped = mapped;
        this.states = states;
        this.earlyCounts = new AtomicIntegerArray(mapped == null ? dimensions.contexts() : 0);
    }

    /** Creates a peer in mapped memory. */
    public static Peer mapped(NodeMemory memory) {
        return new Peer(
                memory.rank(), memory.layout().dimensions(), memory, new ContextStates[] {new ContextStates(memory)});
    }

    /**
     * Creates a peer that the engines of this node reach over links. The uses of its contexts are unknown until it
     * introduces itself over the link of an engine.
     */
    public static Peer linked(int rank, NodeDimensions dimensions) {
        final long mirror = (long) dimensions.contexts() * NodeLayout.CONTEXT_STATE_LENGTH;
        final Memory memory = MappedMemory.ofProcess((int) mirror * dimensions.engines());
        final ContextStates[] states = new ContextStates[dimensions.engines()];
        for (int engine = 0; engine < states.length; engine++) {
            states[engine] = new ContextStates(memory, engine * mirror);
            for (int context = 0; context < dimensions.contexts(); context++) {
                states[engine].mirror(context, ContextStates.UNKNOWN_USE);
            }
        }
        return new Peer(rank, dimensions, null, states);
    }

    /** Returns the peer's rank. */
    public int rank() {
        return rank;
    }

    /** Returns the peer's dimensions. */
    public NodeDimensions dimensions() {
        return dimensions;
    }

    /** Returns true if this process has mapped the peer's memory. */
    public boolean isMapped() {
        return mapped != null;
    }

    /** Returns the peer's memory, or null if links reach it. */
    public @Nullable NodeMemory memory() {
        return mapped;
    }

    /**
     * Returns the memory of a peer that {@link #isMapped}.
     *
     * @throws IllegalStateException if links reach it
     */
    public NodeMemory requireMemory() {
        if (mapped == null) {
            throw new IllegalStateException("the memory of rank " + rank + " is not mapped");
        }
        return mapped;
    }

    /** Returns the states of the peer's contexts, or their mirror by an engine of this node. */
    public ContextStates states(int engine) {
        return states[mapped == null ? engine % states.length : 0];
    }

    /**
     * Notes what became of a count for the barriers of a context, which was injected before this linked peer had
     * introduced itself. Called by the engine that has carried it out.
     *
     * @param result the use in which it counted, or {@link #REFUSED}
     */
    public void noteEarlyCount(int context, int result) {
        earlyCounts.setRelease(context, result - WAITING);
    }

    /**
     * Returns what became of the last count for the barriers of a context that was injected before this linked peer had
     * introduced itself: the use in which it counted, {@link #WAITING} or {@link #REFUSED}.
     */
    public int earlyCount(int context) {
        return earlyCounts.getAcquire(context) + WAITING;
    }

    /**
     * Returns the name, in quotation marks behind a space, under which the peer has published a counter, or an empty
     * string. Of a linked peer only the names that were looked up are known.
     */
    public String quotedNameOf(int counter, int incarnation) {
        if (mapped != null) {
            return new NameDirectory(mapped).quotedNameOf(counter, incarnation);
        }
        final LearnedName last = learned.get(counter);
        return last == null || last.incarnation() != incarnation ? "" : " \"" + last.name() + "\"";
    }

    /** Keeps a name that was found at a linked peer, for messages, in place of that of the counter's use before. */
    public void learn(String name, NameDirectory.Entry entry) {
        if (mapped == null) {
            final LearnedName last = new LearnedName(name, entry.incarnation());
            learned.put(entry.id(), last);
            if (entry.kind() == NameDirectory.PAIR) {
                learned.put(entry.id() + 1, last);
            }
        }
    }

    /** Keeps a client that was found, for all contexts of this node. */
    public void learnClient(String name, NameLookups.Found found) {
        clients.put(name, found);
    }

    /** Returns the client that was found last under a name, or null. It may have been closed since. */
    public NameLookups.@Nullable Found learnedClient(String name) {
        return clients.get(name);
    }

    @Override
    public String toString() {
        return "rank " + rank + (mapped == null ? ", linked" : ", mapped");
    }
}
