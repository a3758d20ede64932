package org.segno.tools.journal.command;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import org.segno.engine.descriptor.Descriptor;
import org.segno.engine.descriptor.Operation;

/** The words of a recorded descriptor, as far as a replay needs them. */
final class RecordedOperation {
    private final long[] words;
    private final ByteBuffer bytes = ByteBuffer.allocate(Descriptor.LENGTH).order(ByteOrder.nativeOrder());

    RecordedOperation(long[] words) {
        this.words = words.clone();
        bytes.asLongBuffer().put(words);
    }

    int code() {
        return Descriptor.operation(words[0]);
    }

    /** Returns false for ARM, WAIT and COMBINE, which a replay omits, and for what is none of today's operations. */
    boolean isRepeated() {
        return switch (code()) {
            case Operation.PUT,
                    Operation.REMOTE_GET,
                    Operation.RMW,
                    Operation.COUNT,
                    Operation.SEND,
                    Operation.MULTICAST,
                    Operation.COPY -> true;
            default -> false;
        };
    }

    /** Returns true for a SEND and a MULTICAST. */
    boolean isMessage() {
        return code() == Operation.SEND || code() == Operation.MULTICAST;
    }

    /** Returns true if a SEND has metadata and payload by value. */
    boolean isImmediate() {
        return code() == Operation.SEND && Descriptor.has(words[0], Descriptor.IMMEDIATE);
    }

    /** Returns the number of ranks that it concerns. */
    int targets() {
        return code() == Operation.MULTICAST
                ? Math.max(1, Math.min(Descriptor.targets(words[1]), Descriptor.MAX_TARGETS))
                : 1;
    }

    /** Returns one of the ranks, in a job of {@code size} ranks. */
    int rank(int target, int size) {
        final int rank = target == 0
                ? Descriptor.rank(words[0])
                : Descriptor.furtherRank(Descriptor.furtherTarget(words, 0, target));
        return Math.floorMod(rank, size);
    }

    /** Returns the amount of a COUNT. */
    long amount() {
        return word(Descriptor.TARGET_OFFSET_OFFSET);
    }

    /** Returns the bytes that it moves to or from one target. */
    long bytes() {
        final long bytes = switch (code()) {
            case Operation.MULTICAST -> Descriptor.payloadLength(word(Descriptor.OPERAND_OFFSET));
            case Operation.SEND ->
                isImmediate()
                        ? Math.min(
                                Descriptor.immediateLength(words[1]),
                                Descriptor.MAX_IMMEDIATE_LENGTH - metadataLength())
                        : word(Descriptor.LENGTH_OFFSET);
            case Operation.PUT, Operation.REMOTE_GET, Operation.COPY -> word(Descriptor.LENGTH_OFFSET);
            case Operation.RMW -> Long.BYTES;
            default -> 0;
        };
        return Math.max(0, bytes);
    }

    /** Returns the length of the metadata of a message. */
    int metadataLength() {
        final int most = hasMetadataInMemory() ? Descriptor.MAX_METADATA_LENGTH : Descriptor.MAX_INLINE_METADATA_LENGTH;
        return isMessage() ? Math.min(Descriptor.metadataLength(words[1]), most) : 0;
    }

    /** Returns true if the metadata of a message lie in memory, not in the descriptor. */
    boolean hasMetadataInMemory() {
        return isMessage() && Descriptor.has(words[0], Descriptor.METADATA_WINDOW);
    }

    /** Returns the bytes in the descriptor: metadata, and behind them the payload of an immediate SEND. */
    byte[] inline() {
        final byte[] inline = new byte[metadataLength() + (isImmediate() ? (int) bytes() : 0)];
        bytes.get(Descriptor.INLINE_OFFSET, inline, 0, inline.length);
        return inline;
    }

    private long word(int offset) {
        return words[offset / Long.BYTES];
    }
}
