package org.segno.saved;

import java.io.EOFException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.channels.ClosedByInterruptException;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.BasicFileAttributes;
import java.util.zip.CRC32C;
import org.jspecify.annotations.Nullable;
import org.segno.status.SegnoException;

/**
 * A file of patterns. All numbers are in the byte order of the machine that wrote it. A machine of the other order
 * cannot read it, because immediate values in descriptors belong to the application and cannot be converted.
 *
 * <pre>
 *  offset  length  field    meaning
 *       0       8  magic    "SEGNOPAT"
 *       8       4  order    {@link #ORDER}
 *      12       4  version  {@link #VERSION}
 *      16       8  length   bytes of the whole file
 *      24       4  check    CRC32C of all other bytes
 *      28       4           0
 *      32          content  as {@link SavedCodec} writes it
 * </pre>
 */
final class PatternFile {
    /**
     * Version of the content, of the descriptors in it included. Releases that change it reject the files of other
     * versions by name. From the first release on, a minor release also reads the version before its own.
     */
    static final int VERSION = 3;

    static final int ORDER = 0x01020304;

    static final int VERSION_OFFSET = 12;
    static final int CHECK_OFFSET = 24;
    static final int HEADER_LENGTH = 32;

    /** Magic, as ASCII in file order. */
    private static final byte[] MAGIC = {'S', 'E', 'G', 'N', 'O', 'P', 'A', 'T'};

    private static final int ORDER_OFFSET = 8;
    private static final int LENGTH_OFFSET = 16;

    /** Limit of a valid file, in bytes: patterns have a few megabytes at most. */
    private static final int MAX_LENGTH = 1 << 30;

    private static final String REMEDY = "; save the patterns again, or start without them";

    private PatternFile() {}

    /**
     * Writes a temporary file next to {@code file}, and replaces {@code file} with it once it is complete and on disk.
     * A reader therefore finds either the old file or the new one.
     *
     * @throws SegnoException if that fails; the old file is unchanged
     */
    static void write(Path file, SavedContent saved) {
        final ByteBuffer bytes = encode(saved);
        Path beside = null;
        try {
            beside = Files.createTempFile(directoryOf(file), file.getFileName() + ".", ".tmp");
            try (FileChannel channel = FileChannel.open(beside, StandardOpenOption.WRITE)) {
                while (bytes.hasRemaining()) {
                    channel.write(bytes);
                }
                channel.force(true);
            }
            Files.move(beside, file, StandardCopyOption.ATOMIC_MOVE, StandardCopyOption.REPLACE_EXISTING);
        } catch (final IOException e) {
            final SegnoException failed = new SegnoException(
                    "cannot save patterns to " + file + ": " + e + remedy(e, "; choose a writable directory"), e);
            delete(beside, failed);
            throw failed;
        }
    }

    private static String remedy(IOException e, String otherwise) {
        return e instanceof ClosedByInterruptException
                ? "; the thread is interrupted: clear that by Thread.interrupted, and repeat the call"
                : otherwise;
    }

    private static Path directoryOf(Path file) throws IOException {
        final Path parent = file.toAbsolutePath().getParent();
        if (parent == null || Files.isDirectory(file)) {
            throw new IOException("it is a directory");
        }
        return parent;
    }

    private static void delete(@Nullable Path beside, SegnoException failed) {
        try {
            if (beside != null) {
                Files.deleteIfExists(beside);
            }
        } catch (final IOException e) {
            failed.addSuppressed(e);
        }
    }

    static ByteBuffer encode(SavedContent saved) {
        final ByteBuffer bytes = SavedCodec.encode(saved, HEADER_LENGTH).order(ByteOrder.nativeOrder());
        bytes.put(0, MAGIC);
        bytes.putInt(ORDER_OFFSET, ORDER);
        bytes.putInt(VERSION_OFFSET, VERSION);
        bytes.putLong(LENGTH_OFFSET, bytes.limit());
        bytes.putInt(CHECK_OFFSET, check(bytes));
        return bytes;
    }

    /**
     * Reads a file and checks every byte.
     *
     * @throws SegnoException if the file does not exist, is damaged, or has another version; the message gives the
     *     remedy
     */
    static SavedContent read(Path file) {
        final ByteBuffer bytes;
        try {
            bytes = readAll(file);
        } catch (final IOException e) {
            throw new SegnoException("cannot load patterns from " + file + ": " + e + remedy(e, REMEDY), e);
        }
        if (bytes.getInt(ORDER_OFFSET) != ORDER || bytes.getInt(CHECK_OFFSET) != check(bytes)) {
            throw damaged(file, "its check sum does not match its bytes");
        }
        try {
            return SavedCodec.decode(bytes.position(HEADER_LENGTH));
        } catch (final IllegalArgumentException e) {
            throw damaged(file, e.getMessage());
        }
    }

    /** Reads the header first, and nothing more of a file that is not a pattern file. */
    private static ByteBuffer readAll(Path file) throws IOException {
        if (!Files.readAttributes(file, BasicFileAttributes.class).isRegularFile()) {
            // Opening a pipe would block until it has a writer.
            throw new SegnoException(file + " is not a file of patterns but a directory, a pipe or the like" + REMEDY);
        }
        try (FileChannel channel = FileChannel.open(file, StandardOpenOption.READ)) {
            final long length = channel.size();
            final ByteBuffer header = ByteBuffer.allocate((int) Math.min(length, HEADER_LENGTH));
            fill(channel, header);
            checkHeader(file, header.order(ByteOrder.nativeOrder()), length);
            if (length > MAX_LENGTH) {
                throw damaged(file, "it has " + length + " bytes, above the limit of " + MAX_LENGTH);
            }
            final ByteBuffer bytes = ByteBuffer.allocate((int) length);
            fill(channel.position(0), bytes);
            return bytes.order(ByteOrder.nativeOrder());
        }
    }

    private static void fill(FileChannel from, ByteBuffer bytes) throws IOException {
        while (bytes.hasRemaining()) {
            if (from.read(bytes) < 0) {
                throw new EOFException("it was truncated while it was read");
            }
        }
    }

    private static void checkHeader(Path file, ByteBuffer bytes, long length) {
        if (length < HEADER_LENGTH) {
            throw damaged(file, "it has " + length + " bytes, but a header has " + HEADER_LENGTH);
        }
        for (int i = 0; i < MAGIC.length; i++) {
            if (bytes.get(i) != MAGIC[i]) {
                throw new SegnoException(file + " is not a file of patterns: it does not begin with SEGNOPAT" + REMEDY);
            }
        }
        final int order = bytes.getInt(ORDER_OFFSET);
        if (order == Integer.reverseBytes(ORDER)) {
            throw new SegnoException(file + " was written by a machine of the other byte order" + REMEDY);
        }
        final int version = bytes.getInt(VERSION_OFFSET);
        if (order == ORDER && version != VERSION) {
            throw new SegnoException(
                    file + " has version " + version + ", but this library reads version " + VERSION + REMEDY);
        }
        if (bytes.getLong(LENGTH_OFFSET) != length) {
            throw damaged(file, "it has " + length + " bytes, but its header records " + bytes.getLong(LENGTH_OFFSET));
        }
    }

    private static SegnoException damaged(Path file, @Nullable String what) {
        return new SegnoException(file + " is damaged: " + what + REMEDY);
    }

    /** Returns the check sum of all bytes except the sum itself. */
    static int check(ByteBuffer bytes) {
        final CRC32C sum = new CRC32C();
        sum.update(bytes.duplicate().position(0).limit(CHECK_OFFSET));
        sum.update(bytes.duplicate().position(CHECK_OFFSET + Integer.BYTES));
        return (int) sum.getValue();
    }
}
