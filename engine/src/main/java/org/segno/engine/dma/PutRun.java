package org.segno.engine.dma;

import org.segno.engine.descriptor.Descriptor;
import org.segno.engine.fifo.InjectionFifoConsumer;
import org.segno.engine.memory.Memory;
import org.segno.engine.memory.NodeMemory;
import org.segno.engine.packet.Packet;

/**
 * Short PUTs from one source to one counter that follow each other in a FIFO, and travel in one packet. They are first
 * collected, so that a frame of exactly their length can be claimed, then written. Each word of a descriptor is read
 * once. Used only by the engine's thread.
 */
final class PutRun {
    /** Maximum number of PUTs in one packet. */
    private static final int LIMIT = 1024;

    private final Memory memory;
    private final Memory arena;
    private final long[] sources = new long[LIMIT];
    private final int[] offsets = new int[LIMIT];
    private final int[] lengths = new int[LIMIT];
    private long first;
    private int count;
    private int bytes;

    PutRun(NodeMemory node) {
        this.memory = node.owner();
        this.arena = node.arena();
    }

    /**
     * Collects the PUTs from {@code position} on that continue the first one. An invalid one ends them.
     *
     * @param source open operand of the first one
     * @param limit longest payload of a packet
     * @param quantum bytes after which no further PUT is added
     * @return their number
     */
    int collect(InjectionFifoConsumer fifo, long position, long end, LocalOperand source, int limit, long quantum) {
        final long start = fifo.slot(position);
        final long head = memory.getLong(start);
        final long target = memory.getLong(start + Descriptor.TARGET_OFFSET);
        final long operand = memory.getLong(start + Descriptor.SOURCE_OPERAND_OFFSET);
        count = 0;
        bytes = 0;
        for (long at = position; at != end && count < LIMIT && bytes < quantum; at++) {
            final long slot = fifo.slot(at);
            final boolean continues = memory.getLong(slot) == head
                    && memory.getLong(slot + Descriptor.TARGET_OFFSET) == target
                    && memory.getLong(slot + Descriptor.SOURCE_OPERAND_OFFSET) == operand;
            if (!continues || !add(slot, source, limit)) {
                break;
            }
        }
        return count;
    }

    private boolean add(long slot, LocalOperand source, int limit) {
        final long sourceOffset = memory.getLong(slot + Descriptor.SOURCE_OFFSET_OFFSET);
        final long targetOffset = memory.getLong(slot + Descriptor.TARGET_OFFSET_OFFSET);
        final long length = memory.getLong(slot + Descriptor.LENGTH_OFFSET);
        if (count == 0) {
            first = targetOffset;
        }
        final long offset = targetOffset - first;
        final boolean fits = length >= 0
                && length <= limit
                && offset == (int) offset
                && Packet.runPrefixLength(count + 1) + bytes + length <= limit;
        if (!fits || !source.admits(sourceOffset, length)) {
            return false;
        }
        sources[count] = source.base() + sourceOffset;
        offsets[count] = (int) offset;
        lengths[count] = (int) length;
        count++;
        bytes += (int) length;
        return true;
    }

    /** Returns the number of PUTs. */
    int count() {
        return count;
    }

    /** Returns the length of the payload of the packet. */
    int payloadLength() {
        return Packet.runPrefixLength(count) + bytes;
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
        packet.remaining(count);
        long to = packet.payload() + Packet.runPrefixLength(count);
        for (int i = 0; i < count; i++) {
            packet.put(count, i, offsets[i], lengths[i]);
            arena.copyTo(sources[i], packet.memory(), to, lengths[i]);
            to += lengths[i];
        }
    }
}
