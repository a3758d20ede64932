package org.segno.pattern;

import java.util.ArrayList;
import java.util.List;
import java.util.function.IntConsumer;
import org.agrona.collections.IntArrayList;
import org.segno.fifo.RunRing;
import org.segno.memory.FreeSpace;

/**
 * Sections that take no more replays and that the engine may still have to carry out: of patterns that were closed, and of recordings
 * that failed. Their slots and their indexes become free when it is done. One thread, the one that holds the context.
 */
final class Leaving {
    /** The index stays with the pattern that was to be recorded anew. */
    static final int NO_INDEX = -1;

    private final FreeSpace space;
    private final IntArrayList freeIndexes;
    private final RunRing recordings;
    private final List<Pattern> patterns = new ArrayList<>();
    private final List<FreeSpace.Extent> sections = new ArrayList<>();
    private final IntArrayList indexes = new IntArrayList();

    Leaving(FreeSpace space, IntArrayList freeIndexes, RunRing recordings) {
        this.space = space;
        this.freeIndexes = freeIndexes;
        this.recordings = recordings;
    }

    /** A pattern was closed. */
    void add(Pattern pattern) {
        patterns.add(pattern);
    }

    /** A recording failed when it had sent what lies in {@code sent}. */
    void add(FreeSpace.Extent sent, int index) {
        sections.add(sent);
        if (index != NO_INDEX) {
            indexes.addInt(index);
        }
    }

    /** Gives back what the engine is done with, and tells of the index of each pattern that is gone. */
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
