package org.segno.saved;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.segno.engine.descriptor.Descriptor;
import org.segno.engine.memory.MappedMemory;
import org.segno.engine.memory.Memory;
import org.segno.pattern.Rounds;

/**
 * A file of patterns, as written by {@link SavedPatterns#save}, for inspection without a job. Immutable.
 *
 * <p>Its descriptors refer to windows and counters by their ids in the job that saved them.
 */
public final class SavedFile {
    private final SavedContent saved;
    private final List<Section> patterns = new ArrayList<>();
    private final Memory memory;

    /**
     * A pattern.
     *
     * @param context number of its context within the client
     * @param id under which it was recorded; below zero if it was only prepared
     * @param rounds how its rounds are kept apart
     * @param first index of its first descriptor among those of the whole file, from 0
     * @param descriptors number of descriptors in a round
     * @param arms number of those, at the end, that arm counters
     */
    public record Section(int context, int id, Rounds rounds, int first, int descriptors, int arms) {}

    private SavedFile(SavedContent saved, Memory memory) {
        this.saved = saved;
        this.memory = memory;
    }

    /**
     * Reads a file.
     *
     * @throws org.segno.status.SegnoException if it cannot be read, is not a file of patterns, is damaged or has
     *     another version; the message gives the remedy
     */
    public static SavedFile read(Path file) {
        final SavedContent saved = PatternFile.read(file);
        long words = 0;
        for (final SavedContent.SavedPattern pattern : saved.patterns()) {
            words += pattern.words().length;
        }
        final SavedFile read = new SavedFile(saved, MappedMemory.ofProcess((int) words * Long.BYTES));
        saved.patterns().forEach(read::add);
        return read;
    }

    private void add(SavedContent.SavedPattern pattern) {
        final int first = patterns.isEmpty()
                ? 0
                : patterns.get(patterns.size() - 1).first()
                        + patterns.get(patterns.size() - 1).descriptors();
        final long[] words = pattern.words();
        for (int i = 0; i < words.length; i++) {
            memory.putLong((long) first * Descriptor.LENGTH + (long) i * Long.BYTES, words[i]);
        }
        patterns.add(new Section(
                pattern.context(),
                pattern.id(),
                pattern.alternate() ? Rounds.ALTERNATE : Rounds.ORDERED_BY_CALLER,
                first,
                words.length * Long.BYTES / Descriptor.LENGTH,
                pattern.arms()));
    }

    /** Returns the version of its format. */
    public int version() {
        return PatternFile.VERSION;
    }

    /** Returns the name of the client that owns the patterns; empty for the node's own. */
    public String client() {
        return saved.client();
    }

    /** Returns the rank that owns the patterns. */
    public int rank() {
        return saved.rank();
    }

    /** Returns the number of ranks in the job. */
    public int ranks() {
        return saved.ranks();
    }

    /** Returns the patterns, in the order of their contexts and ids. */
    public List<Section> patterns() {
        return List.copyOf(patterns);
    }

    /**
     * Returns the descriptors of all patterns, {@link Descriptor#LENGTH} bytes each, in the order of
     * {@link Section#first}.
     */
    public Memory descriptors() {
        return memory;
    }

    @Override
    public String toString() {
        return patterns.size() + " patterns of rank " + rank() + " of " + ranks();
    }
}
