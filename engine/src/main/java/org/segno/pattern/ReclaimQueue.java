package org.segno.pattern;

import java.util.ArrayList;
import java.util.List;
import java.util.function.IntConsumer;
import org.agrona.collections.IntArrayList;
import org.segno.engine.fifo.RunRing;
import org.segno.engine.memory.FreeSpace;

/**
 * Sections that accept no more replays but that the engine may still have to carry out: those of closed patterns and of
 * failed recordings. Their slots and indexes become free when that is done. Used by the one thread that holds the
 * context.
 */
final class ReclaimQueue {
    /** Value for an index that remains with its pattern, because a replacement of the pattern failed. */
    static final int NO_INDEX = -1;

    private final FreeSpace space;
    private final IntArrayList freeIndexes;
    private final RunRing recordings;
    private final List<Pattern> patterns = new ArrayList<>();
    private final List<FreeSpace.Extent> sections = new ArrayList<>();
    private final IntArrayList indexes = new IntArrayList();

    ReclaimQueue(FreeSpace space, IntArrayList freeIndexes, RunRing recordings) {
        this.space = space;
        this.freeIndexes = freeIndexes;
        this.recordings = recordings;
    }

    /** Adds a closed pattern. */
    void add(Pattern pattern) {
        patterns.add(pattern);
    }

    /** Adds a failed recording that had sent the descriptors of {@code sent}. */
    void add(FreeSpace.Extent sent, int index) {
        sections.add(sent);
        if (index != NO_INDEX) {
            indexes.addInt(index);
        }
    }

    /** Returns the closed patterns whose last round may not be executed. */
    List<Pattern> patterns() {
        return patterns;
    }

    /** Returns true if the engine may still carry out a failed recording. */
    boolean hasFailed() {
        return !sections.isEmpty();
    }

    /**
     * Frees the sections that the engine has finished, and passes the index of each released pattern to {@code gone}.
     */
    void reclaim(IntConsumer gone) {
        for (int i = patterns.size() - 1; i >= 0; i--) {
            final Pattern pattern = patterns.get(i);
            if (pattern.executedAcquire() >= pattern.generation()) {
                space.give(pattern.first(), pattern.descriptors());
                freeIndexes.addInt(pattern.index());
                gone.accept(pattern.index());
                pattern.released();
                patterns.remove(i);
            }
        }
        if (!sections.isEmpty() && recordings.isDrained()) {
            sections.forEach(sent -> space.give(sent.start(), sent.length()));
            sections.clear();
            freeIndexes.addAll(indexes);
            indexes.clear();
        }
    }
}
