package org.segno.engine.dma;

import org.segno.engine.memory.Memory;

/**
 * A validated message that is about to be sent over a link: its metadata, or a whole immediate body, and then a payload
 * in the arena. Reused for every message. Used only by the engine's thread.
 */
final class OutgoingMessage {
    int dispatchId;
    int metadataLength;
    int injectionCounter;

    /** Memory of the first bytes of the body. */
    Memory headMemory;

    long headAt;

    /** Bytes from there, no more than fit in a packet. */
    int headLength;

    long payloadAt;
    long payloadLength;

    /** Creates a message without content. */
    OutgoingMessage(Memory arena) {
        this.headMemory = arena;
    }

    /** Sets the first bytes of the body. */
    OutgoingMessage head(Memory memory, long at, int length) {
        headMemory = memory;
        headAt = at;
        headLength = length;
        return this;
    }

    /** Sets the bytes of the arena that follow. */
    OutgoingMessage payload(long at, long length) {
        payloadAt = at;
        payloadLength = length;
        return this;
    }

    /** Sets the handler, the number of the first bytes that it receives as metadata, and the counter of the payload. */
    OutgoingMessage to(int newDispatchId, int newMetadataLength, int newInjectionCounter) {
        dispatchId = newDispatchId;
        metadataLength = newMetadataLength;
        injectionCounter = newInjectionCounter;
        return this;
    }

    /** Sets everything as in another message, but the place of its body, which is contiguous. */
    void like(OutgoingMessage other, long at) {
        dispatchId = other.dispatchId;
        metadataLength = other.metadataLength;
        injectionCounter = other.injectionCounter;
        headMemory = other.headMemory;
        headAt = at;
        headLength = other.headLength;
        payloadAt = at;
        payloadLength = other.payloadLength;
    }

    long length() {
        return headLength + payloadLength;
    }

    /** Copies a part of the body, starting at {@code done}. Returns the bytes of the payload in it. */
    int copyTo(long done, Memory arena, Memory to, long at, int part) {
        final int first = (int) Math.max(0, Math.min(part, headLength - done));
        headMemory.copyTo(headAt + done, to, at, first);
        arena.copyTo(payloadAt + done + first - headLength, to, at + first, part - first);
        return part - first;
    }
}
