package org.segno.bench.limit;

import java.io.IOException;
import java.lang.invoke.VarHandle;
import java.nio.file.Path;
import org.agrona.UnsafeApi;
import org.segno.bench.experiment.MappedBlock;
import org.segno.bench.experiment.Role;
import org.segno.bench.experiment.Side;
import org.segno.bench.experiment.SliceFigures;
import org.segno.bench.experiment.TimeHistogram;

/**
 * Cost of starting {@value #PATTERNS} recorded sections back to back by a bare loop. A start reads and updates the
 * words of its pattern, reads the words that the executing end writes, and writes one entry of a ring and its tail.
 *
 * <p>All sections are executed between two batches. This evicts those words from each cache that is smaller than the
 * sections. One operation is one batch; the figure is the median of the slice's batches.
 *
 * <pre>
 *  offset  length  field     contents                                                     written by
 *       0   64x16  states    generation that was executed last, error                     executing end
 *    4096 1024x32  ring      first slot, slots, generation, index, arms, predecessor      starting end
 *   36864       8  tail      position behind the last entry                               starting end
 *   36992       8  head      position of the next entry to execute                        executing end
 *   40960    64x*  patterns  first slot, slots, generation, index; one line for each      starting end
 *       *       *  sections  descriptors of all patterns
 *       *       *  source    window of the payloads
 * </pre>
 */
final class BareStart implements Side {
    /** Places of the patterns' lines. */
    enum Place {
        /** Each line beside the one of the pattern that is started next, so that the processor prefetches it. */
        ADJACENT(64, 1),

        /** Each line in a page of its own, in another order than that of the starts: nothing is prefetched. */
        SCATTERED(4096 + 64, 37);

        private final int distance;
        private final int step;

        Place(int distance, int step) {
            this.distance = distance;
            this.step = step;
        }

        private long address(long own, int index) {
            return own + PATTERNS_OFFSET + (long) ((index * step) & (PATTERNS - 1)) * distance;
        }

        private int sectionsOffset() {
            return PATTERNS_OFFSET + PATTERNS * distance;
        }
    }

    private static final int PATTERNS = 64;
    private static final int BATCH_LIMIT = 1 << 16;

    private static final int STATE_LENGTH = 16;
    private static final int ERROR_OFFSET = 8;

    private static final int RUNS = 1024;
    private static final int RUN_LENGTH = 32;
    private static final int RING_OFFSET = 4096;
    private static final int TAIL_OFFSET = RING_OFFSET + RUNS * RUN_LENGTH;
    private static final int HEAD_OFFSET = TAIL_OFFSET + 128;
    private static final int PATTERNS_OFFSET = TAIL_OFFSET + 4096;

    /** Offsets in a pattern and in an entry of the ring. */
    private static final int SLOTS_OFFSET = 4;

    private static final int GENERATION_OFFSET = 8;
    private static final int INDEX_OFFSET = 16;
    private static final int ARMS_OFFSET = 20;
    private static final int PREDECESSOR_OFFSET = 24;

    private final Role role;
    private final BareTarget target;
    private final long bytes;
    private final Place place;
    private final long own;
    private final BareSection[] sections;
    private final TimeHistogram batchTimes = new TimeHistogram();
    private long tail;
    private long head;

    private BareStart(Role role, BareTarget target, long bytes, Place place, long own, BareSection[] sections) {
        this.role = role;
        this.target = target;
        this.bytes = bytes;
        this.place = place;
        this.own = own;
        this.sections = sections;
    }

    /** Opens one end: the sections of {@code count} PUTs of 8 bytes each at the origin, their target at the echo. */
    static BareStart open(Role role, Path directory, int count, Place place) throws IOException {
        final int windowLength = count * Long.BYTES;
        // The echo makes its memory, the origin waits for it.
        final MappedBlock theirs =
                MappedBlock.share(role.other(), directory.resolve("target"), BareTarget.blockLength(windowLength));
        final BareTarget target = new BareTarget(theirs, windowLength);
        if (role == Role.ECHO) {
            return new BareStart(role, target, windowLength, place, 0, new BareSection[0]);
        }
        final int sectionLength = count * BareSection.LENGTH;
        final int sourceOffset = place.sectionsOffset() + PATTERNS * sectionLength;
        final long own = MappedBlock.make(directory.resolve("own"), sourceOffset + windowLength)
                .address();
        final BareSection[] sections = new BareSection[PATTERNS];
        for (int i = 0; i < PATTERNS; i++) {
            final long descriptors = own + place.sectionsOffset() + (long) i * sectionLength;
            sections[i] = new BareSection(descriptors, own + sourceOffset, target, count, Long.BYTES);
            final long pattern = place.address(own, i);
            UnsafeApi.putInt(pattern, i * count);
            UnsafeApi.putInt(pattern + SLOTS_OFFSET, count);
            UnsafeApi.putInt(pattern + INDEX_OFFSET, i);
        }
        return new BareStart(role, target, windowLength, place, own, sections);
    }

    @Override
    public void slice(int operations, SliceFigures figures) {
        batchTimes.reset();
        final int batches = Math.min(operations, BATCH_LIMIT);
        for (int batch = 0; batch < batches; batch++) {
            if (role == Role.ECHO) {
                target.expect(0, PATTERNS * bytes);
                target.await(0);
            } else {
                final long beginNs = System.nanoTime();
                for (int i = 0; i < PATTERNS; i++) {
                    start(place.address(own, i));
                }
                batchTimes.record((System.nanoTime() - beginNs) / (double) PATTERNS);
                execute();
                // As in the measured peer: stores that wait in the store buffer do not delay those of the next batch.
                VarHandle.fullFence();
            }
        }
        if (role == Role.ORIGIN) {
            figures.set(0, batchTimes.medianNs());
        }
    }

    private void start(long pattern) {
        final long generation = UnsafeApi.getLong(pattern + GENERATION_OFFSET);
        final int index = UnsafeApi.getInt(pattern + INDEX_OFFSET);
        final long state = state(index);
        if (UnsafeApi.getLongAcquire(null, state) < generation || UnsafeApi.getLong(state + ERROR_OFFSET) != 0) {
            throw new IllegalStateException("the last round is not executed: pattern=" + index);
        }
        final long entry = entry(tail);
        UnsafeApi.putInt(entry, UnsafeApi.getInt(pattern));
        UnsafeApi.putInt(entry + SLOTS_OFFSET, UnsafeApi.getInt(pattern + SLOTS_OFFSET));
        UnsafeApi.putLong(entry + GENERATION_OFFSET, generation + 1);
        UnsafeApi.putInt(entry + INDEX_OFFSET, index);
        UnsafeApi.putInt(entry + ARMS_OFFSET, 0);
        UnsafeApi.putLong(entry + PREDECESSOR_OFFSET, 0);
        UnsafeApi.putLong(pattern + GENERATION_OFFSET, generation + 1);
        tail++;
        UnsafeApi.putLongRelease(null, own + TAIL_OFFSET, tail);
    }

    /** Executes all started rounds. The ring is never full, because it has more entries than there are patterns. */
    private void execute() {
        while (head < UnsafeApi.getLongAcquire(null, own + TAIL_OFFSET)) {
            final long entry = entry(head);
            final int index = UnsafeApi.getInt(entry + INDEX_OFFSET);
            sections[index].execute();
            UnsafeApi.putLongRelease(null, state(index), UnsafeApi.getLong(entry + GENERATION_OFFSET));
            head++;
            UnsafeApi.putLongRelease(null, own + HEAD_OFFSET, head);
        }
    }

    private long entry(long position) {
        return own + RING_OFFSET + (position & (RUNS - 1)) * RUN_LENGTH;
    }

    private long state(int index) {
        return own + (long) index * STATE_LENGTH;
    }

    @Override
    public void close() {
        for (final BareSection section : sections) {
            if (section.refused() != 0) {
                throw new IllegalStateException("descriptors refused: " + section.refused());
            }
        }
    }
}
