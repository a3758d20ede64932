package org.segno.pattern;

import java.util.ArrayList;
import java.util.List;
import org.segno.engine.descriptor.Descriptor;
import org.segno.engine.descriptor.Operation;
import org.segno.engine.memory.NodeMemory;
import org.segno.engine.memory.WindowTable;
import org.segno.memory.CounterPair;
import org.segno.memory.MemoryAccess;
import org.segno.memory.ReceptionCounter;

/**
 * Check of a recording for window operands that overlap a range in which data of a pair of counters land. An operand is
 * the same range in all rounds, whereas the pair alternates between two: every second round would use data of an older
 * round. Operands of a pattern are compared only with the pairs of the same pattern: a pattern that sends what another
 * one receives is not detected. Used by the one thread that holds the context.
 */
final class FixedOperands {
    private static final String REMEDY =
            "Await the round and copy the received data before the next one starts; or use a single counter and"
                    + " Rounds.ORDERED_BY_CALLER; or create a pair that only counts credits over 0 bytes";

    private final WindowTable windows;

    /** Pairs that the recording expects or waits for. */
    private final List<CounterPair> pairs = new ArrayList<>();

    private final ArenaRanges landing = new ArenaRanges();
    private final ArenaRanges operands = new ArenaRanges();

    FixedOperands(NodeMemory node) {
        this.windows = new WindowTable(node);
    }

    /**
     * Adds the window operands of a descriptor.
     *
     * @throws IllegalStateException if one overlaps a range of a pair; the message names both and the remedy
     */
    void add(Descriptor descriptor) {
        final int operation = descriptor.operation();
        switch (operation) {
            case Operation.PUT -> addSource(descriptor);
            case Operation.SEND -> {
                if (!descriptor.has(Descriptor.IMMEDIATE)) {
                    addSource(descriptor);
                }
                if (descriptor.has(Descriptor.METADATA_WINDOW)) {
                    addMetadata(descriptor);
                }
            }
            case Operation.MULTICAST -> {
                addSource(descriptor);
                addMetadata(descriptor);
            }
            case Operation.REMOTE_GET -> {
                if (!descriptor.has(Descriptor.INTO_COUNTER)) {
                    addSource(descriptor);
                }
            }
            case Operation.RMW ->
                add(descriptor, descriptor.sourceWindow(), descriptor.sourceOffset(), Long.BYTES, "result");
            case Operation.COPY -> {
                addSource(descriptor);
                add(descriptor, descriptor.target(), descriptor.targetOffset(), descriptor.length(), "target");
            }
            default -> {
                // Other operations have no window operand.
            }
        }
    }

    private void addSource(Descriptor descriptor) {
        final String role = descriptor.operation() == Operation.REMOTE_GET ? "destination" : "source";
        add(descriptor, descriptor.sourceWindow(), descriptor.sourceOffset(), descriptor.length(), role);
    }

    private void addMetadata(Descriptor descriptor) {
        add(
                descriptor,
                descriptor.metadataWindow(),
                descriptor.metadataOffset(),
                descriptor.metadataLength(),
                "metadata");
    }

    private void add(Descriptor descriptor, int window, long offset, long length, String role) {
        if (window < 0 || length <= 0 || windows.open(window) == WindowTable.NO_WINDOW) {
            return;
        }
        final long start = windows.base() + offset;
        if (landing.overlaps(start, length)) {
            throw new IllegalStateException("cannot be replayed: the " + role + " of " + descriptor + " overlaps "
                    + pairAt(start, length) + ", whose data land in two ranges alternately, while the " + role
                    + " is the same range in every round: every second round would use old data. "
                    + REMEDY);
        }
        operands.add(start, length);
    }

    /**
     * Adds a pair that the recording expects or waits for.
     *
     * @throws IllegalStateException if an operand recorded before overlaps one of its ranges
     */
    void add(CounterPair pair) {
        if (pairs.contains(pair)) {
            return;
        }
        for (int round = 0; round < 2; round++) {
            final ReceptionCounter counter = pair.counter(round);
            if (operands.overlaps(MemoryAccess.base(counter), counter.length())) {
                throw new IllegalStateException("cannot be replayed: an operand recorded before overlaps "
                        + pair + ", whose data land in two ranges alternately, while the operand is the same range in"
                        + " every round: every second round would use old data. "
                        + REMEDY);
            }
        }
        pairs.add(pair);
        for (int round = 0; round < 2; round++) {
            landing.add(
                    MemoryAccess.base(pair.counter(round)), pair.counter(round).length());
        }
    }

    private CounterPair pairAt(long start, long length) {
        for (final CounterPair pair : pairs) {
            for (int round = 0; round < 2; round++) {
                final long base = MemoryAccess.base(pair.counter(round));
                if (pair.length() > 0 && start < base + pair.length() && base < start + length) {
                    return pair;
                }
            }
        }
        throw new IllegalStateException("the ranges overlap, but no pair does");
    }
}
