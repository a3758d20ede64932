package org.segno.transport.shm;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.MappedByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.channels.FileChannel.MapMode;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.List;

/**
 * Memory with a fixed content beside the mappings of a node and on the heap: a store outside the node's mappings
 * changes it.
 */
final class CanaryMemory {
    private static final int MAPPED_BYTES = 8 << 20;
    private static final int HEAP_LONGS = 1 << 18;
    private static final long FACTOR = 0x9E37_79B9_7F4A_7C15L;

    private final List<MappedByteBuffer> mappings = new ArrayList<>();
    private final long[] heap = new long[HEAP_LONGS];

    CanaryMemory() {
        for (int i = 0; i < heap.length; i++) {
            heap[i] = i * FACTOR;
        }
    }

    /** Maps and fills memory of this process alone, which lies beside the mappings made just before and after. */
    void map(Path directory) {
        try {
            final Path file = Files.createTempFile(directory, "canary", "");
            try (FileChannel channel = FileChannel.open(
                    file, StandardOpenOption.READ, StandardOpenOption.WRITE, StandardOpenOption.DELETE_ON_CLOSE)) {
                final MappedByteBuffer mapping = channel.map(MapMode.READ_WRITE, 0, MAPPED_BYTES);
                for (int i = 0; i < MAPPED_BYTES; i += Long.BYTES) {
                    mapping.putLong(i, i * FACTOR);
                }
                mappings.add(mapping);
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /**
     * Checks that the content is unchanged.
     *
     * @throws IllegalStateException if a word has changed; names the first
     */
    void requireUnharmed() {
        for (int number = 0; number < mappings.size(); number++) {
            for (int i = 0; i < MAPPED_BYTES; i += Long.BYTES) {
                require(mappings.get(number).getLong(i), i * FACTOR, "offset " + i + " of mapping " + number);
            }
        }
        for (int i = 0; i < heap.length; i++) {
            require(heap[i], i * FACTOR, "element " + i + " of the heap array");
        }
    }

    private static void require(long found, long expected, String place) {
        if (found != expected) {
            throw new IllegalStateException("memory outside the node's file was overwritten: " + place + " is 0x"
                    + Long.toHexString(found) + " instead of 0x" + Long.toHexString(expected));
        }
    }
}
