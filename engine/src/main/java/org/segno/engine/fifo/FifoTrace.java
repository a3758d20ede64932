package org.segno.engine.fifo;

import java.util.Arrays;
import org.jspecify.annotations.Nullable;
import org.segno.engine.memory.Memory;
import org.segno.engine.memory.NodeLayout;
import org.segno.engine.memory.NodeLayout.Part;
import org.segno.engine.memory.NodeMemory;
import org.segno.engine.trace.TraceRecord;
import org.segno.engine.trace.TraceRing;

/**
 * Writer of the trace of one injection FIFO. It copies descriptors that were carried out, or refused, before their
 * slots return to the application. Of a replayed round it writes one short record; the descriptors of its section
 * precede the first round after the section was written. Used only by the engine's thread.
 */
public final class FifoTrace {
    private static final long NOTHING = -1;

    private final TraceRing ring;
    private final Memory target;
    private final Memory memory;
    private final FifoMetadata metadata;
    private final int context;
    private final int fifo;
    private final int flags;
    private final boolean isReplay;
    private final long entries;

    /** Begin of the current round by pattern, in nanoseconds; empty for a FIFO without runs. */
    private final long[] begins;

    /** By pattern, true if the trace has its present section. */
    private final boolean[] known;

    private long sectionChanges;

    /** Position after the descriptor that was refused last in this visit. */
    private long afterRefused = NOTHING;

    private boolean isAbandoned;

    /** Writes what precedes the record of the next descriptor, unless that is refused; or null. */
    private @Nullable Runnable completion;

    /**
     * Creates the trace of a FIFO.
     *
     * @param fifo number of the FIFO in its context
     */
    public FifoTrace(TraceRing ring, NodeMemory node, int context, int fifo, FifoMetadata metadata) {
        this.ring = ring;
        this.target = ring.memory();
        this.memory = node.owner();
        this.metadata = metadata;
        this.context = context;
        this.fifo = fifo;
        final int kind = metadata.kind();
        this.flags = kind == FifoMetadata.REPLY
                ? TraceRecord.REPLY
                : kind == FifoMetadata.RECORDING ? TraceRecord.RECORDING : 0;
        this.isReplay = kind == FifoMetadata.PERSISTENT;
        final boolean hasRuns = isReplay || kind == FifoMetadata.RECORDING;
        final int patterns = node.layout().dimensions().patterns();
        this.entries =
                node.layout().offset(Part.PATTERN_TABLE) + (long) context * patterns * NodeLayout.PATTERN_ENTRY_LENGTH;
        this.begins = new long[hasRuns ? patterns : 0];
        this.known = new boolean[isReplay ? patterns : 0];
    }

    /** Lets {@code work} write what is to precede the record of the next descriptor, unless that is refused. */
    public void precede(@Nullable Runnable work) {
        completion = work;
    }

    /** Writes the descriptors from {@code first} to {@code end} that a visit has carried out. */
    public void executed(InjectionFifoConsumer consumer, long first, long end) {
        final Runnable preceding = completion;
        if (preceding != null) {
            completion = null;
            preceding.run();
        }
        final long from = Math.max(first, afterRefused);
        afterRefused = NOTHING;
        if (!isReplay) {
            write(consumer, from, end);
        }
    }

    /**
     * Writes the descriptors before {@code position} in this visit, and then the one there, which was refused. Some
     * end their run.
     */
    public void refused(InjectionFifoConsumer consumer, long position, int code, boolean endsRun) {
        if (!isReplay) {
            write(consumer, Math.max(consumer.head(), afterRefused), position);
        }
        final int at = ring.claim(TraceRecord.HEADER_LENGTH + NodeLayout.DESCRIPTOR_LENGTH);
        if (at == TraceRing.NO_ROOM) {
            ring.lost(1, 0, 0);
        } else {
            header(at, TraceRecord.REFUSED, consumer.pattern(), consumer.generation());
            target.putLong(at + TraceRecord.POSITION_OFFSET, position);
            target.putInt(at + TraceRecord.COUNT_OFFSET, 1);
            target.putInt(at + TraceRecord.CODE_OFFSET, code);
            memory.copyTo(
                    consumer.slot(position), target, at + TraceRecord.HEADER_LENGTH, NodeLayout.DESCRIPTOR_LENGTH);
            ring.commit(at);
        }
        afterRefused = position + 1;
        completion = null;
        isAbandoned = endsRun;
    }

    /**
     * Publishes a claimed record with {@code bytes} bytes of the payload of the descriptor at {@code position}.
     *
     * @param flag {@link TraceRecord#METADATA} for bytes of its metadata, or 0
     */
    public void payload(int at, int flag, InjectionFifoConsumer consumer, long position, long offset, int bytes) {
        header(at, TraceRecord.PAYLOAD, consumer.pattern(), consumer.generation());
        target.putByte(at + (long) TraceRecord.FLAGS_OFFSET, (byte)
                (target.getByte(at + (long) TraceRecord.FLAGS_OFFSET) | flag));
        target.putLong(at + TraceRecord.POSITION_OFFSET, offset);
        target.putInt(at + TraceRecord.COUNT_OFFSET, bytes);
        target.putLong(at + TraceRecord.DESCRIPTORS_OFFSET, position);
        ring.commit(at);
    }

    private void write(InjectionFifoConsumer consumer, long first, long end) {
        long position = first;
        while (position < end) {
            final int count = Math.min(consumer.adjacent(position, end), TraceRecord.MAX_DESCRIPTORS);
            write(consumer, position, count);
            position += count;
        }
    }

    private void write(InjectionFifoConsumer consumer, long position, int count) {
        final int bytes = count * NodeLayout.DESCRIPTOR_LENGTH;
        final int at = ring.claim(TraceRecord.HEADER_LENGTH + bytes);
        if (at == TraceRing.NO_ROOM) {
            ring.lost(count, 0, 0);
            return;
        }
        header(at, TraceRecord.DESCRIPTORS, consumer.pattern(), consumer.generation());
        target.putLong(at + TraceRecord.POSITION_OFFSET, position);
        target.putInt(at + TraceRecord.COUNT_OFFSET, count);
        memory.copyTo(consumer.slot(position), target, at + TraceRecord.HEADER_LENGTH, bytes);
        ring.commit(at);
    }

    /** Begins a round. Its section is written if it is not in the trace. */
    void begun(int pattern, long start, int count, int arms) {
        begins[pattern] = System.nanoTime();
        if (!isReplay) {
            return;
        }
        final long changes = metadata.sectionChangesAcquire();
        if (changes != sectionChanges) {
            forget(changes);
        }
        if (!known[pattern]) {
            known[pattern] = writeSection(pattern, start, count, arms);
        }
    }

    /** Forgets the section that was written last, or all of them if more than one was written meanwhile. */
    private void forget(long changes) {
        final int changed = FifoMetadata.changedPattern(changes);
        final boolean isNext = FifoMetadata.changeCount(changes) == FifoMetadata.changeCount(sectionChanges) + 1;
        if (isNext && changed >= 0 && changed < known.length) {
            known[changed] = false;
        } else {
            Arrays.fill(known, false);
        }
        sectionChanges = changes;
    }

    private boolean writeSection(int pattern, long start, int count, int arms) {
        int first = 0;
        do {
            final int part = Math.min(count - first, TraceRecord.MAX_DESCRIPTORS);
            final int bytes = part * NodeLayout.DESCRIPTOR_LENGTH;
            final int at = ring.claim(TraceRecord.HEADER_LENGTH + bytes);
            if (at == TraceRing.NO_ROOM) {
                ring.lost(part, 0, 0);
                return false;
            }
            header(at, TraceRecord.SECTION, pattern, 0);
            target.putLong(at + TraceRecord.POSITION_OFFSET, first);
            target.putInt(at + TraceRecord.COUNT_OFFSET, count);
            target.putInt(
                    at + TraceRecord.CODE_OFFSET,
                    memory.getInt(entries + (long) pattern * NodeLayout.PATTERN_ENTRY_LENGTH));
            target.putInt(at + TraceRecord.DETAIL_OFFSET, arms);
            memory.copyTo(
                    start + (long) first * NodeLayout.DESCRIPTOR_LENGTH, target, at + TraceRecord.HEADER_LENGTH, bytes);
            ring.commit(at);
            first += part;
        } while (first < count);
        return true;
    }

    /** Ends a round: all its descriptors were carried out, or it was abandoned. */
    void finished(int pattern, long generation) {
        final int at = ring.claim(TraceRecord.HEADER_LENGTH);
        if (at == TraceRing.NO_ROOM) {
            ring.lost(0, 1, 0);
        } else {
            header(at, TraceRecord.ROUND, pattern, generation);
            target.putLong(at + TraceRecord.POSITION_OFFSET, begins[pattern]);
            target.putInt(at + TraceRecord.COUNT_OFFSET, 0);
            ring.commit(at);
        }
        isAbandoned = false;
    }

    private void header(int at, int kind, int pattern, long generation) {
        final boolean isUnknown = isReplay && kind != TraceRecord.SECTION && pattern >= 0 && !known[pattern];
        final int all = flags
                | (isAbandoned && kind == TraceRecord.ROUND ? TraceRecord.ABANDONED : 0)
                | (isUnknown ? TraceRecord.UNKNOWN_SECTION : 0);
        target.putLong(at, kind | all << 8 | context << 16 | (long) fifo << 32);
        target.putLong(at + TraceRecord.TIME_OFFSET, System.nanoTime());
        target.putLong(at + TraceRecord.GENERATION_OFFSET, generation);
        target.putInt(at + TraceRecord.PATTERN_OFFSET, pattern);
        target.putLong(at + TraceRecord.CODE_OFFSET, 0);
        target.putLong(at + TraceRecord.DESCRIPTORS_OFFSET, 0);
    }
}
