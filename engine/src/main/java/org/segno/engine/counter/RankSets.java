package org.segno.engine.counter;

import java.util.function.IntConsumer;
import org.segno.engine.memory.Memory;
import org.segno.engine.memory.NodeMemory;

/**
 * Sets of ranks that reception counters of a node admit. The owner writes a set before it enables the first counter
 * that refers to it, and writes it again only when no counter refers to it and every engine that could read it has been
 * quiet. Readers validate the number of the set and the rank.
 *
 * <p>Counters that admit equal sets share one. A counter's settings refer to set {@code i} by the sources
 * {@code FIRST_SET - i}, below every other value of that field.
 *
 * <pre>
 *  offset  length  field   meaning                                                  written by   access
 *       0   8 x n  ranks   bit b of word w is set if rank 64 w + b is admitted      owner        plain
 * </pre>
 */
public final class RankSets {
    /** Sources of a counter that admits set 0. */
    static final int FIRST_SET = -16;

    private final Memory memory;
    private final long base;
    private final int words;
    private final int count;
    private final int size;

    /** Maps the sets of a node, for its owner or for a peer. */
    public RankSets(NodeMemory node) {
        this.memory = node.owner();
        this.base = node.rankSetOffset(0);
        this.words = node.layout().dimensions().rankSetWords();
        this.count = node.layout().dimensions().rankSets();
        this.size = node.layout().dimensions().size();
    }

    /** Returns the number of sets of the node. */
    public int count() {
        return count;
    }

    /** Returns the number of words of a set. */
    public int words() {
        return words;
    }

    /** Returns true if the sources of a counter are a set. */
    public static boolean isSet(int sources) {
        return sources <= FIRST_SET;
    }

    /** Returns the sources of a counter that admits set {@code index}. */
    public static int sources(int index) {
        return FIRST_SET - index;
    }

    /** Returns the number of the set that these sources refer to. It is not validated. */
    public static int index(int sources) {
        return FIRST_SET - sources;
    }

    /** Returns true if these sources are a set of this node that contains {@code rank}. */
    public boolean contains(int sources, int rank) {
        // Validated, because another process wrote the sources. An integer overflow gives an index below zero.
        final int index = FIRST_SET - sources;
        return index >= 0
                && index < count
                && rank >= 0
                && rank < size
                && (memory.getLong(wordOffset(index, rank / Long.SIZE)) >>> rank & 1) != 0;
    }

    /** Returns true if a counter with these sources, of any kind, admits {@code rank}. */
    public boolean admits(int sources, int rank) {
        return sources == CounterSettings.ANYBODY || sources == rank || contains(sources, rank);
    }

    /** Passes the ranks of a set in ascending order; none for sources of another kind. */
    public void forEach(int sources, IntConsumer consumer) {
        for (int rank = 0; rank < size; rank++) {
            if (contains(sources, rank)) {
                consumer.accept(rank);
            }
        }
    }

    /** Writes a set to which no enabled counter refers. Called by the owner. */
    public void write(int index, long[] ranks) {
        for (int word = 0; word < words; word++) {
            memory.putLong(wordOffset(index, word), ranks[word]);
        }
    }

    private long wordOffset(int index, int word) {
        return base + ((long) index * words + word) * Long.BYTES;
    }
}
