package org.segno.engine.dma;

import org.jspecify.annotations.Nullable;
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

    private final Memory arena;

    /** Made when they are first used. */
    private final @Nullable OutgoingMessage[] messages = new OutgoingMessage[LIMIT];

    private int count;
    private int bytes;
    private int payloadBytes;

    SendRun(NodeMemory node) {
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

    /** Adds {@link #next}. */
    void add() {
        final OutgoingMessage message = at(count++);
        bytes += (int) message.length();
        payloadBytes += (int) message.payloadLength;
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
            message.copyTo(0, arena, packet.memory(), to, length);
            to += length;
        }
    }
}
