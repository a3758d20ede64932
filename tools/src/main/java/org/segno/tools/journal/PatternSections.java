package org.segno.tools.journal;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.segno.engine.descriptor.Descriptor;
import org.segno.engine.descriptor.Operation;

/** Sections of the patterns of one rank, as they are at a place in its journal. Used by one thread. */
public final class PatternSections {
    private final Map<Long, Section> complete = new HashMap<>();
    private final Map<Long, List<long[]>> partial = new HashMap<>();

    /**
     * Section of a pattern.
     *
     * @param id of the pattern; below zero if it was prepared without one
     * @param context context of the pattern
     * @param index of the pattern among those of its context
     * @param arms number of ARMs, which are last and carried out first
     * @param descriptors words of each descriptor
     * @param bytes that a round moves
     */
    public record Section(int id, int context, int index, int arms, List<long[]> descriptors, long bytes) {
        /** Copies the list. */
        public Section {
            descriptors = List.copyOf(descriptors);
        }

        /**
         * Returns the name of the pattern: {@code #7} for the id 7, {@code @0.5} for that of context 0 with index 5
         * that was prepared without an id. A later pattern can have the same name.
         */
        public String name() {
            return id >= 0 ? "#" + id : "@" + context + "." + index;
        }
    }

    /** Adds the part of a section in a record. */
    void add(JournalRecord record) {
        final long key = key(record.context(), record.patternIndex());
        if (record.position() == 0) {
            partial.put(key, new ArrayList<>());
            complete.remove(key);
        }
        final List<long[]> words = partial.get(key);
        if (words == null || words.size() != record.position()) {
            // The part before was lost.
            partial.remove(key);
            return;
        }
        long bytes = 0;
        for (int i = 0; i < record.descriptors(); i++) {
            words.add(record.words(i));
        }
        if (words.size() == record.sectionLength()) {
            for (final long[] descriptor : words) {
                bytes += bytes(descriptor);
            }
            complete.put(key, section(record, words, bytes));
            partial.remove(key);
        }
    }

    private static Section section(JournalRecord record, List<long[]> words, long bytes) {
        return new Section(
                record.sectionId(), record.context(), record.patternIndex(), record.sectionArms(), words, bytes);
    }

    /** Removes the section of a pattern whose index now belongs to another one. */
    void remove(int context, int index) {
        complete.remove(key(context, index));
        partial.remove(key(context, index));
    }

    /** Returns the section of a pattern, or null if it is not known here. */
    @Nullable
    Section section(int context, int index) {
        return complete.get(key(context, index));
    }

    private static long key(int context, int index) {
        return (long) context << 32 | index;
    }

    /** Returns the bytes that a descriptor moves. */
    public static long bytes(long[] words) {
        final long head = words[0];
        return switch (Descriptor.operation(head)) {
            case Operation.COUNT, Operation.ARM, Operation.WAIT -> 0;
            case Operation.RMW -> Long.BYTES;
            case Operation.MULTICAST ->
                Descriptor.payloadLength(words[Descriptor.OPERAND_OFFSET / Long.BYTES])
                        * (long) Descriptor.targets(words[Descriptor.TARGET_OFFSET / Long.BYTES]);
            case Operation.SEND ->
                Descriptor.has(head, Descriptor.IMMEDIATE)
                        ? Descriptor.immediateLength(words[Descriptor.TARGET_OFFSET / Long.BYTES])
                        : words[Descriptor.LENGTH_OFFSET / Long.BYTES];
            default -> words[Descriptor.LENGTH_OFFSET / Long.BYTES];
        };
    }
}
