package org.segno.engine.dma;

import org.segno.engine.descriptor.Descriptor;
import org.segno.engine.fifo.LaneRecord;
import org.segno.engine.fifo.ReceptionFifoProducer;
import org.segno.engine.memory.Memory;

/**
 * Loops over SENDs in adjacent slots that equal the one before: in their words, and thereby in their target, id and
 * lengths. Everything that was checked of that one holds for them, so the loops only copy. Each form and length has a
 * loop of its own, because the compiler optimizes a loop for the lengths that it has seen. Used by one thread.
 */
final class EqualSends {
    /** Length of the record of a message of one cache line. */
    static final int LINE_RECORD_LENGTH = LaneRecord.alignedLength(LaneRecord.HEADER_LENGTH + Memory.LINE_LENGTH);

    private static final int WORD_RECORD_LENGTH = LaneRecord.alignedLength(LaneRecord.HEADER_LENGTH + Long.BYTES);

    private final Memory memory;
    private final Memory arena;

    EqualSends(Memory memory, Memory arena) {
        this.memory = memory;
        this.arena = arena;
    }

    /**
     * Adds the records of immediate messages of 8 bytes to the batch.
     *
     * @param head first word of each, as it was checked
     * @param target word of the target of each, as it was checked
     * @param first offset of the first slot
     * @param most maximum number of messages; the batch has room for so many records
     * @param header of each record
     * @return the number of messages
     */
    int words(long head, long target, long first, int most, long header, ReceptionFifoProducer to) {
        final Memory words = memory;
        final Memory into = to.memory();
        final long record = to.next();
        int done = 0;
        for (; done < most; done++) {
            final long slot = first + (long) done * Descriptor.LENGTH;
            if (difference(words, slot, head, target) != 0) {
                break;
            }
            final long at = record + (long) done * WORD_RECORD_LENGTH;
            into.putLong(at + LaneRecord.HEADER_LENGTH, words.getLong(slot + Descriptor.INLINE_OFFSET));
            into.putLong(at, header);
        }
        to.appended(record + (long) done * WORD_RECORD_LENGTH);
        return done;
    }

    /** Adds the records of immediate messages of any length, as {@link #words} does. */
    int bodies(long head, long target, long first, int most, long header, ReceptionFifoProducer to) {
        final Memory words = memory;
        final Memory into = to.memory();
        final int length = LaneRecord.length(header) - LaneRecord.HEADER_LENGTH;
        final int aligned = LaneRecord.alignedLength(LaneRecord.length(header));
        long at = to.next();
        int done = 0;
        for (; done < most; done++) {
            final long slot = first + (long) done * Descriptor.LENGTH;
            if (difference(words, slot, head, target) != 0) {
                break;
            }
            words.copyShortTo(slot + Descriptor.INLINE_OFFSET, into, at + LaneRecord.HEADER_LENGTH, length);
            into.putLong(at, header);
            at += aligned;
        }
        to.appended(at);
        return done;
    }

    /**
     * Adds the records of messages that consist of one cache line of the payload's operand.
     *
     * @param payload the open operand
     */
    int lines(long before, long first, int most, LocalOperand payload, ReceptionFifoProducer to) {
        final Memory words = memory;
        final Memory from = arena;
        final Memory into = to.memory();
        final long head = words.getLong(before);
        final long target = words.getLong(before + Descriptor.TARGET_OFFSET);
        final long source = words.getLong(before + Descriptor.SOURCE_OPERAND_OFFSET);
        final long header = to.header(Memory.LINE_LENGTH, Descriptor.dispatchId(target), 0);
        final long base = payload.base();
        final long last = payload.last(Memory.LINE_LENGTH);
        long at = to.next();
        int done = 0;
        for (; done < most; done++) {
            final long slot = first + (long) done * Descriptor.LENGTH;
            final long offset = words.getLong(slot + Descriptor.SOURCE_OFFSET_OFFSET);
            if (difference(words, slot, head, target, source, Memory.LINE_LENGTH) != 0
                    || (offset | (last - offset)) < 0) {
                break;
            }
            from.copyLineTo(base + offset, into, at + LaneRecord.HEADER_LENGTH);
            into.putLong(at, header);
            at += LINE_RECORD_LENGTH;
        }
        to.appended(at);
        return done;
    }

    private static long difference(Memory words, long slot, long head, long target) {
        return (words.getLong(slot) ^ head) | (words.getLong(slot + Descriptor.TARGET_OFFSET) ^ target);
    }

    /** Returns zero if the slot of a message with a payload from memory has these words. */
    static long difference(Memory words, long slot, long head, long target, long source, long length) {
        return difference(words, slot, head, target)
                | (words.getLong(slot + Descriptor.SOURCE_OPERAND_OFFSET) ^ source)
                | (words.getLong(slot + Descriptor.LENGTH_OFFSET) ^ length);
    }
}
