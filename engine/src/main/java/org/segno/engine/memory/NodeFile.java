package org.segno.engine.memory;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.ClosedByInterruptException;
import java.nio.channels.ClosedChannelException;
import java.nio.channels.FileChannel;
import java.nio.channels.FileChannel.MapMode;
import java.nio.channels.FileLock;
import java.nio.channels.OverlappingFileLockException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.PosixFilePermission;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Arrays;
import java.util.EnumSet;
import java.util.Set;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;
import org.segno.engine.memory.NodeLayout.Half;
import org.segno.status.ClosedException;
import org.segno.status.OpenFiles;
import org.segno.status.SegnoException;

/**
 * The file behind a node's memory. Writing reserves it before it is mapped.
 *
 * <p>Each process opens a node's file once and keeps it open: closing any descriptor of a file frees every lock that
 * the process has on it, and tools find a running job through its open files. Instances are not safe for concurrent
 * use.
 */
public final class NodeFile implements AutoCloseable {
    private static final int FILL_CHUNK_LENGTH = 1 << 20;
    private static final Set<PosixFilePermission> MODE = PosixFilePermissions.fromString("rw-------");

    /** Maximum number of garbage collections before a reservation fails. */
    private static final int COLLECTIONS = 8;

    private final Path path;
    private final FileChannel channel;
    private final @Nullable FileLock lock;
    private final NodeLayout layout;
    private final int rank;

    private NodeFile(Path path, FileChannel channel, @Nullable FileLock lock, NodeLayout layout, int rank) {
        this.path = path;
        this.channel = channel;
        this.lock = lock;
        this.layout = layout;
        this.rank = rank;
    }

    /**
     * Creates, reserves and locks the file of a node of this process, and writes its header.
     *
     * <p>Every block is written before anything is mapped. A store to a mapping of a full file system would fail late
     * or kill the process, whereas a write fails at once.
     *
     * <p>The memory of nodes that this process has closed returns to the file system when their mappings are collected.
     * If there is no room, garbage is therefore collected and the reservation repeated before it fails.
     *
     * @throws SegnoException if the file system has no room; the message has both figures and the remedies, and no file
     *     remains
     * @throws org.segno.status.ClosedException if the thread is interrupted; its interrupt flag stays set, and no file
     *     remains
     */
    public static NodeFile create(Path path, NodeLayout layout, NodeHeader.Identity identity) {
        final NodeDimensions dimensions = layout.dimensions();
        if (dimensions.mapped() != dimensions.size()) {
            throw new IllegalArgumentException(
                    "the ranks with lanes must be given, because not all have one: " + dimensions);
        }
        return create(
                path, layout, identity, IntStream.range(0, dimensions.size()).toArray());
    }

    /**
     * Creates the file of a node, as {@link #create(Path, NodeLayout, NodeHeader.Identity)} does, which only some ranks
     * of the job map.
     *
     * @param origins those ranks, ascending, with the node's own
     */
    public static NodeFile create(Path path, NodeLayout layout, NodeHeader.Identity identity, int[] origins) {
        requireOrigins(layout.dimensions(), identity.rank(), origins);
        for (int collections = 0; ; collections++) {
            try {
                return tryCreate(path, layout, identity, origins);
            } catch (final NoRoomException e) {
                if (collections == COLLECTIONS || !ReleasedMappings.collect(collections)) {
                    final String held = collections == 0
                            ? ""
                            : "; memory of nodes closed in this process is held: drop the buffers of their windows, and"
                                    + " do not use -XX:+DisableExplicitGC";
                    throw new SegnoException(e.getMessage() + held, e.getCause());
                }
            }
        }
    }

    private static void requireOrigins(NodeDimensions dimensions, int rank, int[] origins) {
        final boolean ascending = IntStream.range(1, origins.length).allMatch(i -> origins[i - 1] < origins[i]);
        if (origins.length != dimensions.mapped()
                || !ascending
                || origins[0] < 0
                || origins[origins.length - 1] >= dimensions.size()
                || Arrays.binarySearch(origins, rank) < 0) {
            throw new IllegalArgumentException("the ranks with lanes must be " + dimensions.mapped()
                    + " different ranks of the job, ascending, with the node's own, " + rank + ": "
                    + Arrays.toString(origins));
        }
    }

    private static NodeFile tryCreate(Path path, NodeLayout layout, NodeHeader.Identity identity, int[] origins) {
        final long needed = layout.fileLength();
        final long usable = usableSpace(path);
        if (usable < needed) {
            throw noRoom(path, needed, usable, null);
        }
        FileChannel channel = null;
        try {
            channel = FileChannel.open(
                    path,
                    EnumSet.of(StandardOpenOption.CREATE_NEW, StandardOpenOption.READ, StandardOpenOption.WRITE),
                    PosixFilePermissions.asFileAttribute(MODE));
            // The umask has cut the mode that it was made with.
            Files.setPosixFilePermissions(path, MODE);
            fill(path, channel, needed);
            final FileLock lock = channel.tryLock(0, Long.MAX_VALUE, false);
            if (lock == null) {
                throw new IOException("locked by another process");
            }
            final NodeFile file = new NodeFile(path, channel, lock, layout, identity.rank());
            NodeMemory.format(file.map(Half.OWNER, MapMode.READ_WRITE), layout, identity, origins);
            return file;
        } catch (final ClosedByInterruptException e) {
            closeAndDelete(channel, path);
            throw interrupted("creating the node file " + path);
        } catch (final IOException e) {
            closeAndDelete(channel, path);
            throw new SegnoException(
                    "cannot create the node file " + path + ": " + e + "; "
                            + OpenFiles.remedy(e, "start the job again"),
                    e);
        } catch (final RuntimeException | Error e) {
            closeAndDelete(channel, path);
            throw e;
        }
    }

    /** Returns the exception of an interrupted operation. The channel has left the thread's interrupt flag set. */
    private static ClosedException interrupted(String what) {
        return new ClosedException(
                "interrupted while " + what + " for a join; join again with a thread that is not interrupted");
    }

    private static void fill(Path path, FileChannel channel, long length) throws ClosedByInterruptException {
        final ByteBuffer zeros = ByteBuffer.allocateDirect((int) Math.min(length, FILL_CHUNK_LENGTH));
        long position = 0;
        try {
            for (; position < length; position += zeros.position()) {
                zeros.position(0).limit((int) Math.min(zeros.capacity(), length - position));
                channel.write(zeros, position);
            }
        } catch (final ClosedByInterruptException e) {
            throw e;
        } catch (final IOException e) {
            // Other processes fill the file system at the same time: the written bytes are the space that was left.
            throw noRoom(path, length, position, e);
        }
    }

    private static long usableSpace(Path path) {
        final Path parent = path.toAbsolutePath().getParent();
        try {
            return Files.getFileStore(parent == null ? path : parent).getUsableSpace();
        } catch (final IOException e) {
            return Long.MAX_VALUE;
        }
    }

    /** Thrown when the file system has no room at present. */
    private static final class NoRoomException extends SegnoException {
        private static final long serialVersionUID = 1L;

        NoRoomException(String message, @Nullable Throwable cause) {
            super(message, cause);
        }
    }

    private static NoRoomException noRoom(Path path, long needed, long usable, @Nullable IOException cause) {
        return new NoRoomException(
                "no room for the node file " + path + ": it needs " + needed + " bytes, its file system has " + usable
                        + " left; point SEGNO_DIR to a larger one, enlarge this one (containers: --shm-size), or reduce"
                        + " NodeConfig.withWindowBytes, withLaneBudgetBytes or withPatternBufferBytes",
                cause);
    }

    private static void closeAndDelete(@Nullable FileChannel channel, Path path) {
        if (channel != null) {
            try {
                channel.close();
                Files.deleteIfExists(path);
            } catch (final IOException ignored) {
                // The caller throws the original cause. The next start cleans the job directory.
            }
        }
    }

    /**
     * Opens the file of a peer in another process, and validates its whole header.
     *
     * @throws SegnoException if it cannot be opened or differs from this process's expectation; the message names the
     *     difference
     */
    public static NodeFile open(Path path, NodeHeader.Identity expected, int size) {
        FileChannel channel = null;
        try {
            channel = FileChannel.open(path, Set.of(StandardOpenOption.READ, StandardOpenOption.WRITE));
            final long length = channel.size();
            if (length < NodeHeader.LENGTH) {
                throw new SegnoException(path + " is too short for a node file: " + length + " bytes, its header has "
                        + NodeHeader.LENGTH + "; restart the job");
            }
            final Memory header = MappedMemory.of(channel.map(MapMode.READ_ONLY, 0, NodeHeader.LENGTH));
            final NodeLayout layout = new NodeHeader(header).check(path.toString(), expected, size, length);
            return new NodeFile(path, channel, null, layout, expected.rank());
        } catch (final ClosedByInterruptException e) {
            closeQuietly(channel);
            throw interrupted("opening the node file " + path);
        } catch (final IOException e) {
            closeQuietly(channel);
            throw new SegnoException(
                    "cannot open the node file " + path + ": " + e.getMessage() + "; "
                            + OpenFiles.remedy(e, "start the job again"),
                    e);
        } catch (final SegnoException e) {
            closeQuietly(channel);
            throw e;
        }
    }

    /** Wraps a file that a tool has opened for reading, with a validated header. */
    static NodeFile observed(Path path, FileChannel channel, NodeLayout layout, int rank) {
        return new NodeFile(path, channel, null, layout, rank);
    }

    private static void closeQuietly(@Nullable FileChannel channel) {
        if (channel != null) {
            try {
                channel.close();
            } catch (final IOException ignored) {
                // Nothing was written through it.
            }
        }
    }

    /** Maps the file for its owner: everything is writable. */
    public NodeMemory mapAsOwner() {
        return map(MapMode.READ_WRITE, MapMode.READ_WRITE);
    }

    /** Maps the file for a peer: the owner's half is read-only. */
    public NodeMemory mapAsPeer() {
        return map(MapMode.READ_ONLY, MapMode.READ_WRITE);
    }

    /** Maps the file for a tool: everything is read-only. */
    NodeMemory mapAsObserver() {
        return map(MapMode.READ_ONLY, MapMode.READ_ONLY);
    }

    private NodeMemory map(MapMode ownerMode, MapMode sharedMode) {
        try {
            return new NodeMemory(
                    rank, layout, map(Half.OWNER, ownerMode), map(Half.PEERS, sharedMode), map(Half.ARENA, sharedMode));
        } catch (final ClosedByInterruptException e) {
            throw interrupted("mapping the node file " + path);
        } catch (final IOException e) {
            throw new SegnoException(
                    "cannot map the node file " + path + " (" + layout.fileLength() + " bytes): " + e.getMessage()
                            + "; raise vm.max_map_count or the limit of address space",
                    e);
        }
    }

    private Memory map(Half half, MapMode mode) throws IOException {
        final long start = layout.fileOffset(half);
        final long length = layout.length(half);
        return length <= NodeLayout.LARGEST_MAPPING
                ? MappedMemory.of(channel.map(mode, start, length))
                : segmented(half, mode, ContiguousMapping.SEGMENT_LENGTH);
    }

    /** Maps a half in segments of at most {@code longest} bytes, whatever its length. */
    Memory segmented(Half half, MapMode mode, long longest) throws IOException {
        final long start = layout.fileOffset(half);
        return ContiguousMapping.map(
                (offset, bytes) -> channel.map(mode, start + offset, bytes), layout.length(half), longest);
    }

    /**
     * Returns true until the owner closes the file. A peer process that can take this lock concludes that the owner is
     * gone.
     */
    public boolean holdsLock() {
        return lock != null && lock.isValid();
    }

    /**
     * Returns true if the process that created the file has closed it or has ended with all its threads. For a file
     * that was opened as a peer's.
     */
    public boolean isOwnerGone() {
        // A shared lock, so that peers that check at the same time do not mistake each other for the owner.
        try (FileLock taken = channel.tryLock(0, Long.MAX_VALUE, true)) {
            return taken != null;
        } catch (final OverlappingFileLockException e) {
            // The owner is a node of this process.
            return false;
        } catch (final ClosedChannelException e) {
            // This process has left the job.
            return false;
        } catch (final IOException e) {
            throw new SegnoException("cannot check the lock of " + path + ": " + e.getMessage(), e);
        }
    }

    /** Closes the file, which releases the lock. Mappings stay valid until they are collected. */
    @Override
    public void close() {
        ReleasedMappings.add();
        closeQuietly(channel);
    }
}
