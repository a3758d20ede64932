package org.segno.bench.limit;

import org.agrona.UnsafeApi;
import org.segno.bench.experiment.MappedBlock;

/**
 * Recorded section of 64-byte PUT descriptors and the bare loop that executes it.
 *
 * <p>Descriptors are read in order, each field once, and then checked. Each causes one window copy. A run of
 * descriptors to one counter causes one atomic add.
 *
 * <pre>
 *  offset  length  field          meaning
 *       0       4  operation      PUT
 *       4       4  counter        index of the target's counter
 *       8       8  length         bytes
 *      16       8  source offset  in the source window
 *      24       8  target offset  from the counter's base
 *      32      32  -              room for the other fields of the engine's descriptor
 *      64          LENGTH
 * </pre>
 */
final class BareSection {
    static final int LENGTH = 64;
    static final int PUT = 1;

    private static final int COUNTER_OFFSET = 4;
    private static final int LENGTH_OFFSET = 8;
    private static final int SOURCE_OFFSET = 16;
    private static final int TARGET_OFFSET = 24;

    private final long descriptors;
    private final int count;
    private final long source;
    private final long sourceLength;
    private final BareTarget target;
    private int refused;

    /**
     * Records a section.
     *
     * @param own block of the descriptors, followed by the source window
     * @param target target of the descriptors
     * @param count number of PUTs of 8 bytes
     * @param stride bytes from one message to the next, in both windows
     */
    BareSection(MappedBlock own, BareTarget target, int count, int stride) {
        this(own.address(), own.address() + (long) count * LENGTH, target, count, stride);
    }

    /** Records a section at the address {@code descriptors}, with the source window at {@code source}. */
    BareSection(long descriptors, long source, BareTarget target, int count, int stride) {
        this.descriptors = descriptors;
        this.count = count;
        this.source = source;
        this.sourceLength = (long) count * stride;
        this.target = target;
        for (int i = 0; i < count; i++) {
            final long descriptor = descriptors + (long) i * LENGTH;
            UnsafeApi.putInt(descriptor, PUT);
            UnsafeApi.putInt(descriptor + COUNTER_OFFSET, 0);
            UnsafeApi.putLong(descriptor + LENGTH_OFFSET, Long.BYTES);
            UnsafeApi.putLong(descriptor + SOURCE_OFFSET, (long) i * stride);
            UnsafeApi.putLong(descriptor + TARGET_OFFSET, (long) i * stride);
        }
    }

    /** Returns the bytes of {@code own} that a section needs. */
    static int ownLength(int count, int stride) {
        return count * (LENGTH + stride);
    }

    /**
     * Executes the section once: copies all payloads, then decrements the counter.
     *
     * <p>One descriptor and many descriptors have separate methods. The JIT compiles a loop that has mostly run once as
     * if it always did; it then takes twice as long for each of a thousand.
     */
    void execute() {
        if (count == 1) {
            executeOne();
        } else {
            executeMany();
        }
    }

    private void executeOne() {
        final int counter = UnsafeApi.getInt(descriptors + COUNTER_OFFSET);
        final long length = UnsafeApi.getLong(descriptors + LENGTH_OFFSET);
        final long sourceOffset = UnsafeApi.getLong(descriptors + SOURCE_OFFSET);
        final long targetOffset = UnsafeApi.getLong(descriptors + TARGET_OFFSET);
        if (UnsafeApi.getInt(descriptors) != PUT
                || (counter & -BareTarget.COUNTERS) != 0
                || outside(sourceOffset, length, sourceLength)
                || outside(targetOffset, length, target.length())) {
            refused++;
            return;
        }
        copy(source + sourceOffset, target.address() + targetOffset, length);
        target.landed(counter, length);
    }

    private void executeMany() {
        final long from = source;
        final long fromLength = sourceLength;
        final long to = target.address();
        final long toLength = target.length();
        int runCounter = 0;
        long pending = 0;
        for (int i = 0; i < count; i++) {
            final long descriptor = descriptors + (long) i * LENGTH;
            final int operation = UnsafeApi.getInt(descriptor);
            final int counter = UnsafeApi.getInt(descriptor + COUNTER_OFFSET);
            final long length = UnsafeApi.getLong(descriptor + LENGTH_OFFSET);
            final long sourceOffset = UnsafeApi.getLong(descriptor + SOURCE_OFFSET);
            final long targetOffset = UnsafeApi.getLong(descriptor + TARGET_OFFSET);
            if (operation != PUT
                    || (counter & -BareTarget.COUNTERS) != 0
                    || outside(sourceOffset, length, fromLength)
                    || outside(targetOffset, length, toLength)) {
                refused++;
                continue;
            }
            if (counter != runCounter) {
                target.landed(runCounter, pending);
                runCounter = counter;
                pending = 0;
            }
            copy(from + sourceOffset, to + targetOffset, length);
            pending += length;
        }
        target.landed(runCounter, pending);
    }

    private static boolean outside(long offset, long length, long limit) {
        return (offset | length) < 0 || offset > limit - length;
    }

    /** Copies a payload. A call of copyMemory costs more than eight bytes do. */
    private static void copy(long from, long to, long length) {
        if (length == Long.BYTES) {
            UnsafeApi.putLong(to, UnsafeApi.getLong(from));
        } else {
            UnsafeApi.copyMemory(from, to, length);
        }
    }

    /** Returns the number of descriptors that were not executed. Any value but zero is a bug in this class. */
    int refused() {
        return refused;
    }
}
