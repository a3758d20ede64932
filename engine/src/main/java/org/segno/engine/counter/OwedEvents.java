package org.segno.engine.counter;

import org.segno.engine.memory.Memory;
import org.segno.engine.memory.NodeMemory;

/**
 * Owed events of a node: hits of its reception counters whose records had no room in a lane. The engine that lands
 * counts them in the receiver's memory, and the context that receives the events of the counter raises them itself. An
 * owed event is therefore not lost when the origin rests, leaves or dies, and no landing waits for a lane.
 *
 * <p>Every owed event is counted twice: first in the line behind the value of its counter, at offset 72, then for the
 * context. A pass of a context loads only the second count. If that has changed, the context compares the first counts
 * of its counters.
 *
 * <p>Both counts only increase, and each reader keeps the number that it has seen. Nobody resets a bit that another
 * thread sets. They have several writers, because several engines may hit one counter.
 *
 * <pre>
 *  offset  length  field     meaning                                           written by        access
 *       0       8  owed      count of owed events of the counters of a context landing engines   atomic add
 *       8     120  reserved
 *     128          LENGTH
 * </pre>
 */
public final class OwedEvents {
    /** Offset of a counter's count behind its value. */
    private static final int OF_COUNTER_OFFSET = 72;

    private final NodeMemory node;
    private final Memory words;
    private final Memory values;

    /** Maps the counts of a node, for its owner or for a peer. */
    public OwedEvents(NodeMemory node) {
        this.node = node;
        this.words = node.peers();
        this.values = node.values();
    }

    /** Counts an event of a counter whose events a context receives. Called by the engine that lands, after the hit. */
    public void add(int counter, int context) {
        values.getAndAddLong(ofCounter(counter), 1);
        // The context loads the count of the counter after this one.
        words.getAndAddLong(node.owedEventsOffset(context), 1);
    }

    /** Returns the number of owed events of a context's counters so far. Those that it includes are counted there. */
    public long ofContextAcquire(int context) {
        return words.getLongAcquire(node.owedEventsOffset(context));
    }

    /** Returns the number of owed events of a counter so far. The hits that it includes are visible. */
    public long ofCounterAcquire(int counter) {
        return values.getLongAcquire(ofCounter(counter));
    }

    private long ofCounter(int counter) {
        return node.receptionValueOffset(counter) + OF_COUNTER_OFFSET;
    }
}
