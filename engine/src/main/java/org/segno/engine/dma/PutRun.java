package org.segno.engine.dma;

import org.segno.engine.descriptor.Descriptor;
import org.segno.engine.fifo.InjectionFifoConsumer;
import org.segno.engine.memory.Memory;
import org.segno.engine.memory.NodeMemory;
import org.segno.engine.packet.Packet;

/**
 * Short PUTs from one source to one counter that follow each other in a FIFO, and travel in one packet. They are first
 * collected, so that a frame of exactly their length can be claimed, then written. What is used of a descriptor was
 * read once and checked; words that are read again only decide which descriptors are like it. Used only by the
 * engine's thread.
 *
 * <p>PUTs of one length at equal distances are <em>regular</em>: their packet needs no list of ranges. A run is regular
 * until a PUT is not like those before; then all are listed, if the packet has room for that, or the packet ends.
 */
final class PutRun {
    /** Maximum number of PUTs in one packet. */
    private static final int LIMIT = 1024;

    private static final int RANGE_LENGTH = Integer.BYTES + Short.BYTES;

    private final Memory memory;
    private final Memory arena;
    private final long[] sources = new long[LIMIT];
    private final int[] offsets = new int[LIMIT];
    private final int[] lengths = new int[LIMIT];
    private long runHead;
    private long runSource;
    private long first;
    private int count;
    private int bytes;

    /** Longest payload of a packet. */
    private int limit;

    private boolean isRegular;

    /** Distance from the offset of each regular PUT to that of the next. */
    private long stride;

    /** True while all lengths are 8 bytes. */
    private boolean hasWords;

    PutRun(NodeMemory node) {
        this.memory = node.owner();
        this.arena = node.arena();
    }

    /**
     * Begins a run.
     *
     * @param head first word of its descriptors, as it was checked
     * @param source their source word, as it was checked
     */
    void begin(long head, long source) {
        runHead = head;
        runSource = source;
    }

    /** Returns the injection counter of all, or -1. */
    int injectionCounter() {
        return Descriptor.injectionCounter(runSource);
    }

    /**
     * Collects the PUTs from {@code position} on that continue the first one. An invalid one ends them.
     *
     * @param source open operand of the first one
     * @param mostBytes longest payload of a packet
     * @param quantum bytes after which no further PUT is added
     * @return their number
     */
    int collect(InjectionFifoConsumer fifo, long position, long end, LocalOperand source, int mostBytes, long quantum) {
        final long target = memory.getLong(fifo.slot(position) + Descriptor.TARGET_OFFSET);
        count = 0;
        bytes = 0;
        limit = mostBytes;
        isRegular = true;
        hasWords = true;
        long at = position;
        while (at != end && count < LIMIT && bytes < quantum) {
            final long slot = fifo.slot(at);
            final long length = memory.getLong(slot + Descriptor.LENGTH_OFFSET);
            if (PutUnit.difference(memory, slot, runHead, target, runSource) != 0 || !add(slot, length, source)) {
                break;
            }
            at++;
            if (hasWords && count > 1) {
                final int most = most(fifo.adjacent(at, end), quantum);
                at += addWords(fifo.slot(at), most, target, source);
            }
        }
        return count;
    }

    /** Returns how many PUTs of 8 bytes can be added to those of 8 bytes without another look at the room. */
    private int most(int adjacent, long quantum) {
        final int room = isRegular
                ? (limit - bytes) / Long.BYTES
                : (limit - Packet.runPrefixLength(count + 1) - bytes) / (Long.BYTES + RANGE_LENGTH);
        final long covered = (quantum - bytes + Long.BYTES - 1) / Long.BYTES;
        return (int) Math.min(Math.min(adjacent, LIMIT - count), Math.min(room, covered));
    }

    /**
     * Adds PUTs of 8 bytes from successive slots that differ from those before in their offsets alone, while a regular
     * run stays regular. A loop of its own, as the compiler optimizes a loop for the lengths that it has seen.
     */
    private int addWords(long slots, int most, long target, LocalOperand source) {
        final Memory words = memory;
        final long head = runHead;
        final long operand = runSource;
        final long base = source.base();
        final long last = source.last(Long.BYTES);
        final long origin = first;
        final long distance = stride;
        final int from = count;
        final long regular = isRegular ? -1 : 0;
        int added = 0;
        for (; added < most; added++) {
            final long slot = slots + (long) added * Descriptor.LENGTH;
            final long sourceOffset = words.getLong(slot + Descriptor.SOURCE_OFFSET_OFFSET);
            final long offset = words.getLong(slot + Descriptor.TARGET_OFFSET_OFFSET) - origin;
            final long difference = PutUnit.difference(words, slot, head, target, operand)
                    | (words.getLong(slot + Descriptor.LENGTH_OFFSET) ^ Long.BYTES)
                    | ((offset ^ (from + added) * distance) & regular)
                    | (offset ^ (int) offset);
            if (difference != 0 || (sourceOffset | (last - sourceOffset)) < 0) {
                break;
            }
            sources[from + added] = base + sourceOffset;
            offsets[from + added] = (int) offset;
            lengths[from + added] = Long.BYTES;
        }
        count = from + added;
        bytes += added * Long.BYTES;
        return added;
    }

    private boolean add(long slot, long length, LocalOperand source) {
        final long sourceOffset = memory.getLong(slot + Descriptor.SOURCE_OFFSET_OFFSET);
        final long targetOffset = memory.getLong(slot + Descriptor.TARGET_OFFSET_OFFSET);
        if (length < 0 || length > limit || !source.admits(sourceOffset, length)) {
            return false;
        }
        if (count == 0) {
            first = targetOffset;
        } else if (count == 1) {
            stride = targetOffset - first;
        }
        final long offset = targetOffset - first;
        final boolean staysRegular = isRegular && length != 0 && (count == 0 || continues(offset, length));
        final long needed = bytes + length + (staysRegular ? 0 : Packet.runPrefixLength(count + 1));
        if (offset != (int) offset || needed > limit) {
            return false;
        }
        isRegular = staysRegular;
        hasWords &= length == Long.BYTES;
        sources[count] = source.base() + sourceOffset;
        offsets[count] = (int) offset;
        lengths[count] = (int) length;
        count++;
        bytes += (int) length;
        return true;
    }

    /** Returns true if a PUT continues regular ones. */
    private boolean continues(long offset, long length) {
        return length == lengths[0] && stride != 0 && offset == count * stride;
    }

    /** Returns the number of PUTs. */
    int count() {
        return count;
    }

    /** Returns the length of the payload of the packet. */
    int payloadLength() {
        return (isRegular ? 0 : Packet.runPrefixLength(count)) + bytes;
    }

    /** Returns the number of bytes of all PUTs. */
    int bytes() {
        return bytes;
    }

    /** Returns the offset of the first PUT from the base of the counter. */
    long first() {
        return first;
    }

    /** Writes the payload. */
    void write(Packet packet) {
        long to = packet.payload();
        if (isRegular) {
            packet.strided(count, (int) stride);
        } else {
            packet.remaining(count);
            for (int i = 0; i < count; i++) {
                packet.put(count, i, offsets[i], lengths[i]);
            }
            to += Packet.runPrefixLength(count);
        }
        final Memory into = packet.memory();
        if (hasWords) {
            for (int i = 0; i < count; i++) {
                into.putLong(to + (long) i * Long.BYTES, arena.getLong(sources[i]));
            }
        } else {
            for (int i = 0; i < count; i++) {
                arena.copyTo(sources[i], into, to, lengths[i]);
                to += lengths[i];
            }
        }
    }
}
