package org.segno.context;

import org.agrona.BitUtil;
import org.jspecify.annotations.Nullable;
import org.segno.engine.writer.DescriptorWriter;
import org.segno.memory.InjectionCounter;
import org.segno.memory.Operand;
import org.segno.memory.Target;

/**
 * Division of a long PUT into equal parts of whole pages, one for each of several FIFOs, so that several engines copy
 * at once. The arguments of a PUT are checked before.
 */
final class SplitPuts {
    private static final int PART_ALIGNMENT = 4096;

    private final DescriptorWriter writer;
    private final Injector first;
    private final SinkSelector[] fifos;

    /** All but the first of them. */
    private final InjectionFifo[] others;

    /** The slots claimed in {@link #fifos} for the PUT in progress. */
    private final long[] slots;

    /** Creates a division over distinct {@code fifos}. The first one receives the first part. */
    private SplitPuts(DescriptorWriter writer, Injector first, SinkSelector[] fifos, InjectionFifo... others) {
        this.writer = writer;
        this.first = first;
        this.fifos = fifos;
        this.others = others;
        this.slots = new long[fifos.length];
    }

    /**
     * Creates a division over a FIFO and others of its context.
     *
     * @throws IllegalArgumentException if one is named twice, or is not of that context
     */
    static SplitPuts of(DescriptorWriter writer, Injector first, InjectionFifo... others) {
        final SinkSelector[] fifos = new SinkSelector[others.length + 1];
        fifos[0] = first.sinks();
        for (int i = 0; i < others.length; i++) {
            others[i].requireBeside(first);
            for (int earlier = 0; earlier < i; earlier++) {
                if (others[earlier] == others[i]) {
                    throw new IllegalArgumentException(
                            "each part needs a FIFO of its own: " + others[i] + " is named twice; name distinct FIFOs");
                }
            }
            fifos[i + 1] = others[i].sinks();
        }
        return new SplitPuts(writer, first, fifos, others.clone());
    }

    /**
     * Injects the parts, the first one last. Injects nothing if one of the FIFOs has no room.
     *
     * @throws IllegalStateException if two of them have a slot in common, in which both would write
     */
    long put(
            Target target,
            long targetOffset,
            Operand source,
            long sourceOffset,
            long length,
            @Nullable InjectionCounter counter) {
        requireOwnSlots();
        for (int i = 0; i < fifos.length; i++) {
            slots[i] = fifos[i].claim(target);
            if (slots[i] < 0) {
                return slots[i];
            }
        }
        // Rounded up, so that the parts together cover the whole length.
        final long part = BitUtil.align((length + fifos.length - 1) / fifos.length, PART_ALIGNMENT);
        long position = 0;
        for (int i = fifos.length - 1; i >= 0; i--) {
            final long done = Math.min(i * part, length);
            final long bytes = Math.min(part, length - done);
            if (bytes > 0) {
                writer.put(slots[i], target, source, counter);
                writer.putRanges(slots[i], targetOffset + done, sourceOffset + done, bytes);
                position = fifos[i].publish(slots[i]);
            }
        }
        return position;
    }

    /** Checks the slots now, because the FIFOs may have been pointed at others since. */
    private void requireOwnSlots() {
        for (int i = 1; i < others.length; i++) {
            for (int earlier = 0; earlier < i; earlier++) {
                others[i].requireOtherSlots(others[earlier]);
            }
        }
        if (first instanceof InjectionFifo fifo) {
            for (final InjectionFifo other : others) {
                other.requireOtherSlots(fifo);
            }
        }
    }
}
