package org.segno.pattern;

import java.util.ArrayList;
import java.util.List;
import org.segno.engine.counter.CounterSettings;
import org.segno.engine.descriptor.Descriptor;
import org.segno.engine.descriptor.Operation;
import org.segno.engine.memory.NodeMemory;
import org.segno.engine.memory.WindowTable;
import org.segno.memory.CounterPair;
import org.segno.memory.MemoryAccess;
import org.segno.memory.ReceptionCounter;

/**
 * Check of a recording for operands of fixed memory that overlap a range in which data of a pair of counters land. An
 * operand is the same range in all rounds, whereas the pair alternates between two: every second round would use data
 * of an older round. A pair whose two ranges are the same is no such case. Operands of a pattern are compared only with
 * the pairs of the same pattern: a pattern that sends what another one receives is not detected. Used by the one thread
 * that holds the context.
 */
final class FixedOperands {
    private static final String REMEDY = "Name the pair itself as the operand; or use a single counter and"
            + " Rounds.ORDERED_BY_CALLER; or create a pair that only counts credits over 0 bytes";

    private final NodeMemory node;
    private final WindowTable windows;

    /** Pairs that the recording expects or waits for. */
    private final List<CounterPair> pairs = new ArrayList<>();

    private final ArenaRanges landing = new ArenaRanges();
    private final ArenaRanges operands = new ArenaRanges();

    FixedOperands(NodeMemory node) {
        this.node = node;
        this.windows = new WindowTable(node);
    }

    /**
     * Range of an operand.
     *
     * @param offset from the start of the operand
     * @param length bytes
     * @param role of the operand, for messages
     */
    private record Range(long offset, long length, String role) {}

    /**
     * Adds the source of a descriptor, or the destination of a REMOTE_GET.
     *
     * @throws IllegalStateException if it overlaps a range of a pair; the message names both and the remedy
     */
    void addSource(Descriptor descriptor) {
        final String role = descriptor.operation() == Operation.REMOTE_GET ? "destination" : "source";
        addOperand(
                descriptor,
                descriptor.sourceOperand(),
                Descriptor.SOURCE_COUNTER,
                Descriptor.ALTERNATE_SOURCE,
                new Range(descriptor.sourceOffset(), descriptor.length(), role));
    }

    /** Adds the metadata of a message, as {@link #addSource} does with its payload. */
    void addMetadata(Descriptor descriptor) {
        addOperand(
                descriptor,
                descriptor.metadataOperand(),
                Descriptor.METADATA_COUNTER,
                Descriptor.ALTERNATE_METADATA,
                new Range(descriptor.metadataOffset(), descriptor.metadataLength(), "metadata"));
    }

    /** Adds the third operand of a COMBINE, as {@link #addSource} does with its source. */
    void addThird(Descriptor descriptor) {
        addOperand(
                descriptor,
                descriptor.thirdOperand(),
                Descriptor.THIRD_COUNTER,
                Descriptor.ALTERNATE_THIRD,
                new Range(descriptor.thirdOffset(), descriptor.length(), "third operand"));
    }

    /** Adds the target of a COPY or a COMBINE, as {@link #addSource} does with its source. */
    void addTarget(Descriptor descriptor) {
        addOperand(
                descriptor,
                descriptor.target(),
                Descriptor.TARGET_COUNTER,
                Descriptor.ALTERNATE,
                new Range(descriptor.targetOffset(), descriptor.length(), "target"));
    }

    /** Adds the result of an RMW, as {@link #addSource} does with a source. */
    void addResult(Descriptor descriptor) {
        addWindow(descriptor, descriptor.sourceOperand(), descriptor.sourceOffset(), Long.BYTES, "result");
    }

    private void addOperand(Descriptor descriptor, int operand, int counterFlag, int alternateFlag, Range range) {
        if (!descriptor.has(counterFlag)) {
            addWindow(descriptor, operand, range.offset(), range.length(), range.role());
        } else if (!descriptor.has(alternateFlag)) {
            final long settings = node.counterSettingsOffset(Descriptor.operandCounter(operand));
            add(
                    descriptor,
                    CounterSettings.base(node.owner(), settings) + range.offset(),
                    range.length(),
                    range.role());
        }
    }

    private void addWindow(Descriptor descriptor, int window, long offset, long length, String role) {
        if (window >= 0 && windows.open(window) != WindowTable.NO_WINDOW) {
            add(descriptor, windows.base() + offset, length, role);
        }
    }

    private void add(Descriptor descriptor, long start, long length, String role) {
        if (length <= 0) {
            return;
        }
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
        if (pairs.contains(pair) || pair.offset(0) == pair.offset(1)) {
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
