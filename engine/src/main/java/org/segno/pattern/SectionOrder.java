package org.segno.pattern;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.segno.engine.descriptor.Descriptor;
import org.segno.engine.descriptor.Operation;
import org.segno.engine.memory.Memory;
import org.segno.engine.memory.NodeLayout;

/**
 * Order of the descriptors of a section. Those for the same rank are moved together, so that the engine opens each
 * target once, and counts all of its bytes down by one atomic add. The order from one context to one target is kept.
 * Used by the one thread that holds the context, while the section is not in progress.
 *
 * <p>Only PUT, SEND and COUNT to other ranks move, because they write nothing that another descriptor of the section
 * reads. Any other descriptor keeps its place, and none moves across it.
 */
final class SectionOrder {
    private final Memory memory;
    private final long start;
    private final int self;
    private final Descriptor descriptor;

    /** Creates the order of sections in the buffer at {@code start}, of rank {@code self}. */
    SectionOrder(Memory memory, long start, int self) {
        this.memory = memory;
        this.start = start;
        this.self = self;
        this.descriptor = new Descriptor(memory);
    }

    /** Moves the descriptors for each target together, among {@code slots} slots from slot {@code first} on. */
    void group(long first, int slots) {
        int from = 0;
        for (int at = 0; at <= slots; at++) {
            if (at == slots || !isMovable(first + at)) {
                groupMovable(first + from, at - from);
                from = at + 1;
            }
        }
    }

    private boolean isMovable(long slot) {
        final int operation = descriptor.wrap(offset(slot)).operation();
        final boolean writesThereOnly =
                operation == Operation.PUT || operation == Operation.SEND || operation == Operation.COUNT;
        return writesThereOnly && descriptor.rank() != self;
    }

    private void groupMovable(long first, int slots) {
        final Map<Integer, List<long[]>> targets = new LinkedHashMap<>();
        int runs = 0;
        int last = -1;
        for (int i = 0; i < slots; i++) {
            final int rank = descriptor.wrap(offset(first + i)).rank();
            runs += rank == last ? 0 : 1;
            last = rank;
            targets.computeIfAbsent(rank, r -> new ArrayList<>()).add(words(first + i));
        }
        if (runs == targets.size()) {
            return;
        }
        long slot = first;
        for (final List<long[]> target : targets.values()) {
            for (final long[] words : target) {
                for (int i = 0; i < words.length; i++) {
                    memory.putLong(offset(slot) + (long) i * Long.BYTES, words[i]);
                }
                slot++;
            }
        }
    }

    private long[] words(long slot) {
        final long[] words = new long[PatternBuffer.WORDS];
        for (int i = 0; i < words.length; i++) {
            words[i] = memory.getLong(offset(slot) + (long) i * Long.BYTES);
        }
        return words;
    }

    private long offset(long slot) {
        return start + slot * NodeLayout.DESCRIPTOR_LENGTH;
    }
}
