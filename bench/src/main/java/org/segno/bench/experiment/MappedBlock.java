package org.segno.bench.experiment;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.MappedByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import org.agrona.BufferUtil;
import org.agrona.UnsafeApi;
import org.agrona.concurrent.UnsafeBuffer;

/**
 * File that two processes map.
 *
 * <p>The creator writes the whole file before mapping it, so that a full file system is an error here and not a fault
 * later. Both processes touch every page before use. The block stays mapped until the process ends.
 */
public final class MappedBlock {
    /** All mappings, kept because raw addresses are used after the last reference to a block is gone. */
    private static final Queue<MappedBlock> MAPPED = new ConcurrentLinkedQueue<>();

    private static final int PAGE_LENGTH = 4096;
    private static final int WRITE_LENGTH = 1 << 20;
    private static final long WAIT_NS = TimeUnit.SECONDS.toNanos(20);
    private static final long POLL_NS = TimeUnit.MILLISECONDS.toNanos(1);

    private final MappedByteBuffer mapped;
    private final UnsafeBuffer buffer;

    private MappedBlock(MappedByteBuffer mapped) {
        this.mapped = mapped;
        this.buffer = new UnsafeBuffer(mapped);
    }

    /** Creates the block at the origin, waits for it at the echo. */
    public static MappedBlock share(Role role, Path file, int length) throws IOException {
        return role == Role.ORIGIN ? make(file, length) : await(file);
    }

    /** Creates a file of zeros and maps it. The file appears under its name when it is complete. */
    public static MappedBlock make(Path file, int length) throws IOException {
        final Path unfinished = file.resolveSibling(file.getFileName() + ".unfinished");
        try (FileChannel channel = FileChannel.open(
                unfinished, StandardOpenOption.CREATE_NEW, StandardOpenOption.READ, StandardOpenOption.WRITE)) {
            final ByteBuffer zeros = ByteBuffer.allocate(Math.min(length, WRITE_LENGTH));
            for (long written = 0; written < length; ) {
                zeros.clear().limit((int) Math.min(zeros.capacity(), length - written));
                written += channel.write(zeros, written);
            }
            final MappedBlock block = map(channel);
            Files.move(unfinished, file, StandardCopyOption.ATOMIC_MOVE);
            return block;
        }
    }

    /** Maps a file that another process creates, after waiting for it at most 20 seconds. */
    public static MappedBlock await(Path file) throws IOException {
        final long deadlineNs = System.nanoTime() + WAIT_NS;
        while (!Files.exists(file)) {
            if (System.nanoTime() - deadlineNs > 0) {
                throw new IOException("the other worker has not created " + file + " within 20 s");
            }
            LockSupport.parkNanos(POLL_NS);
        }
        try (FileChannel channel = FileChannel.open(file, StandardOpenOption.READ, StandardOpenOption.WRITE)) {
            return map(channel);
        }
    }

    private static MappedBlock map(FileChannel channel) throws IOException {
        final MappedBlock block = new MappedBlock(channel.map(FileChannel.MapMode.READ_WRITE, 0, channel.size()));
        MAPPED.add(block);
        block.touch();
        return block;
    }

    /** Adds zero to a word of every page, which maps it for writing and changes nothing. */
    private void touch() {
        for (long offset = 0; offset < mapped.capacity(); offset += PAGE_LENGTH) {
            UnsafeApi.getAndAddLong(null, address() + offset, 0);
        }
    }

    /** Returns the block's first address, page-aligned. */
    public long address() {
        return BufferUtil.address(mapped);
    }

    /** Returns a bounds-checked view of the whole block. */
    public UnsafeBuffer buffer() {
        return buffer;
    }
}
