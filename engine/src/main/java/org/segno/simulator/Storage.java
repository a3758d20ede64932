package org.segno.simulator;

import java.nio.ByteBuffer;
import java.nio.MappedByteBuffer;
import java.util.ArrayList;
import java.util.List;
import org.agrona.concurrent.UnsafeBuffer;
import org.segno.engine.memory.MappedMemory;
import org.segno.engine.memory.Memory;

/** Process memory of one simulation, which the next one on the same thread uses again. */
final class Storage {
    private static final int BLOCK_BYTES = 4 << 20;
    private static final int ALIGNMENT = 128;

    /** Blocks that are kept for the next simulation. */
    private static final int KEPT_BLOCKS = 4;

    private static final ThreadLocal<Storage> OF_THREAD = ThreadLocal.withInitial(Storage::new);

    private final List<MappedByteBuffer> blocks = new ArrayList<>();
    private int block;
    private int used;

    private Storage() {}

    /** Returns the storage of this thread, all of which is free. */
    static Storage ofThread() {
        final Storage storage = OF_THREAD.get();
        while (storage.blocks.size() > KEPT_BLOCKS) {
            storage.blocks.remove(storage.blocks.size() - 1);
        }
        storage.block = 0;
        storage.used = 0;
        return storage;
    }

    /** Returns zeroed memory of a length. */
    Memory take(long bytes) {
        if (bytes > BLOCK_BYTES) {
            return MappedMemory.ofProcess((int) bytes);
        }
        if (used + bytes > BLOCK_BYTES) {
            block++;
            used = 0;
        }
        if (block == blocks.size()) {
            // A little more, so that the first one can be aligned.
            final ByteBuffer made = ByteBuffer.allocateDirect(BLOCK_BYTES + ALIGNMENT);
            blocks.add((MappedByteBuffer) made.alignedSlice(ALIGNMENT));
        }
        final MappedByteBuffer taken = blocks.get(block).slice(used, (int) bytes);
        used += ((int) bytes + ALIGNMENT - 1) & -ALIGNMENT;
        new UnsafeBuffer(taken).setMemory(0, (int) bytes, (byte) 0);
        return MappedMemory.of(taken);
    }
}
