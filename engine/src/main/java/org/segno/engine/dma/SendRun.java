package org.segno.engine.dma;

import org.jspecify.annotations.Nullable;
import org.segno.engine.descriptor.Descriptor;
import org.segno.engine.memory.Memory;
import org.segno.engine.memory.NodeMemory;
import org.segno.engine.packet.Packet;

/**
 * Short messages to one context that follow each other in a FIFO, and travel in one packet. They are first collected,
 * validated and with credit for their records, so that a frame of exactly their length can be claimed, then written.
 * Used only by the engine's thread.
 */
final class SendRun {
    /** Maximum number of messages in one packet. */
    private static final int LIMIT = 256;

    /** Bytes of the handler and the lengths of a message. */
    private static final int RANGE_LENGTH = 3 * Short.BYTES;

    private final Memory memory;
    private final Memory arena;

    /** Made when they are first used. */
    private final @Nullable OutgoingMessage[] messages = new OutgoingMessage[LIMIT];

    private int count;
    private int bytes;
    private int payloadBytes;

    // The descriptor of the message that was added last by itself.
    private long lastSlot;
    private long lastHead;
    private long lastTarget;

    SendRun(NodeMemory node) {
        this.memory = node.owner();
        this.arena = node.arena();
    }

    void begin() {
        count = 0;
        bytes = 0;
        payloadBytes = 0;
    }

    /** Returns the place of a further message, or of one that is not added. */
    OutgoingMessage next() {
        return at(count);
    }

    private OutgoingMessage at(int index) {
        OutgoingMessage message = messages[index];
        if (message == null) {
            message = new OutgoingMessage(arena);
            messages[index] = message;
        }
        return message;
    }

    /**
     * Returns true if {@link #next} can be added: a packet with a payload of {@code limit} bytes holds it, and it has
     * the same injection counter.
     */
    boolean admitsNext(int limit) {
        final OutgoingMessage message = next();
        return Packet.runPrefixLength(count + 1) + bytes + message.length() <= limit
                && message.injectionCounter == at(0).injectionCounter;
    }

    /**
     * Adds {@link #next}.
     *
     * @param slot offset of its descriptor
     * @param head first word of the descriptor, as it was checked
     * @param target target word of the descriptor, as it was checked
     */
    void add(long slot, long head, long target) {
        lastSlot = slot;
        lastHead = head;
        lastTarget = target;
        final OutgoingMessage message = at(count++);
        bytes += (int) message.length();
        payloadBytes += (int) message.payloadLength;
    }

    /**
     * Prepares further messages like the one that was added last. Their descriptors follow its own and are equal, but a
     * body in memory may lie elsewhere. What was checked of the last message holds for them, so the loop checks only
     * that place. {@link #addNext} adds them.
     *
     * @param slots offset of the first slot after it
     * @param most maximum number of messages
     * @param operand the open operand of a body in memory
     * @return their number; none if that one has metadata in its descriptor or in a window, even of no length
     */
    int prepareLike(long slots, int most, LocalOperand operand) {
        final Memory words = memory;
        final OutgoingMessage last = last();
        final long head = lastHead;
        final long target = lastTarget;
        final boolean isImmediate = Descriptor.hasExactly(head, Descriptor.IMMEDIATE);
        if (!isImmediate && (last.headLength != 0 || !Descriptor.hasOnly(head, TransmitUnit.SOURCE_FLAGS))) {
            return 0;
        }
        final long source = words.getLong(lastSlot + Descriptor.SOURCE_OPERAND_OFFSET);
        final long length = last.payloadLength;
        int prepared = 0;
        while (prepared < most) {
            final long slot = slots + (long) prepared * Descriptor.LENGTH;
            final long body;
            if (isImmediate) {
                if (((words.getLong(slot) ^ head) | (words.getLong(slot + Descriptor.TARGET_OFFSET) ^ target)) != 0) {
                    break;
                }
                body = slot + Descriptor.INLINE_OFFSET;
            } else {
                final long offset = words.getLong(slot + Descriptor.SOURCE_OFFSET_OFFSET);
                if (EqualSends.difference(words, slot, head, target, source, length) != 0
                        || !operand.admits(offset, length)) {
                    break;
                }
                body = operand.base() + offset;
            }
            at(count + prepared).like(last, body);
            prepared++;
        }
        return prepared;
    }

    /** Returns how many messages as long as the last one a packet with a payload of {@code limit} bytes still holds. */
    int room(int limit) {
        final int length = (int) last().length();
        final int left = limit - Packet.runPrefixLength(count + 1) - bytes;
        return Math.min(LIMIT - count, left / (length + RANGE_LENGTH));
    }

    /** Adds prepared messages. */
    void addNext(int messages) {
        final OutgoingMessage last = last();
        count += messages;
        bytes += messages * (int) last.length();
        payloadBytes += messages * (int) last.payloadLength;
    }

    /** Returns the message that was added last. */
    OutgoingMessage last() {
        return at(count - 1);
    }

    boolean isFull() {
        return count == LIMIT;
    }

    /** Returns the number of messages. */
    int count() {
        return count;
    }

    /** Returns the number of bytes of all bodies. */
    int bytes() {
        return bytes;
    }

    /** Returns the number of bytes by which they count their injection counter down. */
    int payloadBytes() {
        return payloadBytes;
    }

    /** Returns the injection counter of all messages, or -1. */
    int injectionCounter() {
        return at(0).injectionCounter;
    }

    /** Returns the length of the payload of the packet. */
    int payloadLength() {
        return Packet.runPrefixLength(count) + bytes;
    }

    /** Writes the payload. */
    void write(Packet packet) {
        packet.remaining(count);
        long to = packet.payload() + Packet.runPrefixLength(count);
        for (int i = 0; i < count; i++) {
            final OutgoingMessage message = at(i);
            final int length = (int) message.length();
            packet.send(count, i, message.dispatchId, message.metadataLength, length);
            if (message.headLength == 0) {
                arena.copyTo(message.payloadAt, packet.memory(), to, length);
            } else {
                message.copyTo(0, arena, packet.memory(), to, length);
            }
            to += length;
        }
    }
}
