package org.segno.engine.reuse;

import java.util.Arrays;
import org.jspecify.annotations.Nullable;
import org.segno.engine.counter.CounterSettings;
import org.segno.engine.counter.RankSets;
import org.segno.engine.memory.NodeMemory;

/**
 * Allocator of a node's sets of ranks. Counters that admit equal sets use one set together. It is free again once the
 * last of them has been released, which happens when no engine can read it any more. Called by one thread at a time.
 */
final class RankSetPool {
    private final RankSets sets;
    private final int size;
    private final int[] users;
    private final long[] @Nullable [] contents;

    RankSetPool(NodeMemory node) {
        this.sets = new RankSets(node);
        this.size = node.layout().dimensions().size();
        this.users = new int[sets.count()];
        this.contents = new long[sets.count()][];
    }

    RankSets sets() {
        return sets;
    }

    /**
     * Returns the sources of a counter that admits {@code ranks}, in any order. A set of one rank, of all or of none
     * needs no entry. Otherwise the entry stays free until {@link #use}.
     *
     * @throws IllegalArgumentException if a rank is outside the job
     * @throws IllegalStateException if all sets are in use
     */
    int sources(int... ranks) {
        final long[] content = new long[sets.words()];
        for (final int rank : ranks) {
            if (rank < 0 || rank >= size) {
                throw new IllegalArgumentException("sources must be ranks below " + size + ": sources=" + rank);
            }
            content[rank / Long.SIZE] |= 1L << rank;
        }
        int count = 0;
        for (final long word : content) {
            count += Long.bitCount(word);
        }
        if (count == 0) {
            return CounterSettings.NOBODY;
        }
        return count == 1 ? ranks[0] : count == size ? CounterSettings.ANYBODY : RankSets.sources(entry(content));
    }

    private int entry(long[] content) {
        int free = -1;
        for (int index = 0; index < users.length; index++) {
            if (users[index] == 0) {
                free = index;
            } else if (Arrays.equals(contents[index], content)) {
                return index;
            }
        }
        if (free < 0) {
            throw new IllegalStateException("all " + users.length + " sets of ranks are in use by counters; admit equal"
                    + " sets, close counters, or admit ANYBODY");
        }
        contents[free] = content;
        sets.write(free, content);
        return free;
    }

    /** Records that one more counter has these sources. */
    void use(int sources) {
        if (RankSets.isSet(sources)) {
            users[RankSets.index(sources)]++;
        }
    }

    /** Records that no engine reads the settings of a counter with these sources any more. */
    void release(int sources) {
        if (RankSets.isSet(sources)) {
            users[RankSets.index(sources)]--;
        }
    }
}
