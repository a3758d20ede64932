package org.segno.tools.journal.command;

import org.jspecify.annotations.Nullable;
import org.segno.engine.descriptor.Descriptor;
import org.segno.memory.Window;

/**
 * Where a repeated operation reads its payload, with metadata that lie in memory behind it, and where a PUT writes.
 *
 * @param source that has the payload
 * @param offset of the payload
 * @param targetOffset in the part of this rank at the target
 */
record ReplayPlace(Window source, long offset, long targetOffset) {
    /** Returns the offset of the metadata. */
    long metadataOffset(RecordedOperation operation) {
        return offset + ReplaySizes.aligned(operation.bytes());
    }

    /** Writes what the journal has of an operation. The rest is made from the rank and the position. */
    void fill(RecordedOperation operation, RecordedContent content, int rank) {
        fill(offset, content.payload(), operation.bytes(), rank);
        if (operation.hasMetadataInMemory()) {
            fill(metadataOffset(operation), content.metadata(), Descriptor.MAX_METADATA_LENGTH, rank);
        }
    }

    private void fill(long at, byte @Nullable [] known, long length, int rank) {
        for (long i = 0; i < length; i++) {
            source.putByte(at + i, known != null && i < known.length ? known[(int) i] : made(rank, i));
        }
    }

    /** Returns what an operation is to move: the bytes of the journal, the rest made as {@link #fill} makes it. */
    static byte[] payload(RecordedOperation operation, RecordedContent content, int rank) {
        final byte[] known = content.payload();
        final byte[] bytes = new byte[(int) operation.bytes()];
        for (int i = 0; i < bytes.length; i++) {
            bytes[i] = known != null && i < known.length ? known[i] : made(rank, i);
        }
        return bytes;
    }

    /** Returns a byte of a payload that is in no journal. */
    static byte made(int rank, long position) {
        return (byte) (31L * rank + 7 * position + (position >> 8));
    }
}
