package org.segno.tools.journal;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;

/**
 * File of a Chronicle Queue, read as a sequence of documents. Each document begins with a word: the length in 30 bits,
 * a flag for metadata of the queue, and one for a document that is not complete. Documents are aligned to four bytes.
 *
 * <p>It does not use the queue's own reader, which changes files that it opens, allocates what a damaged length asks
 * for, and accesses mapped memory by offsets from the file. Everything is copied out of the file, then checked. Used by
 * one thread.
 */
final class QueueFile implements AutoCloseable {
    /** Result of {@link #next} at the present end of the data. */
    static final int END_OF_DATA = -1;

    /** Result of {@link #next} at a document that is being written, or was when its process ended. */
    static final int INCOMPLETE = -2;

    /** Result of {@link #next} at the mark after which the queue continues in its next file. */
    static final int ROLLED = -3;

    /** Result of {@link #next} for a document that is not inside the file, or too long. */
    static final int IMPOSSIBLE = -4;

    private static final int LENGTH_BITS = (1 << 30) - 1;
    private static final int METADATA = 1 << 30;
    private static final int NOT_COMPLETE = 1 << 31;
    private static final int ROLL_MARK = METADATA | NOT_COMPLETE;
    private static final int WORD = Integer.BYTES;
    private static final int BUFFER_BYTES = 1 << 16;

    private final FileChannel channel;
    private ByteBuffer buffer = ByteBuffer.allocate(BUFFER_BYTES).order(JournalFormat.ORDER);

    /** Offset in the file of the first byte in the buffer, and the number of bytes in it. */
    private long bufferStart;

    private int buffered;
    private long position;
    private long documentAt;

    private QueueFile(FileChannel channel) {
        this.channel = channel;
    }

    /** Opens a file, read-only. */
    static QueueFile open(Path file) throws IOException {
        return new QueueFile(FileChannel.open(file, StandardOpenOption.READ));
    }

    /** Returns the offset of the document that {@link #next} has found last, or at which it has stopped. */
    long offset() {
        return documentAt;
    }

    /**
     * Advances to the next document that is not metadata, and returns its length; or one of the negative results, and
     * does not advance.
     */
    int next() throws IOException {
        while (true) {
            documentAt = position;
            // What was at the end of the file before may have been written meanwhile.
            final boolean isInside = fill(position, WORD) || refill(position, WORD);
            final int word = isInside ? word() : 0;
            if (word == 0) {
                buffered = 0;
                return END_OF_DATA;
            }
            final int length = word & LENGTH_BITS;
            if ((word & NOT_COMPLETE) != 0) {
                buffered = 0;
                return word == ROLL_MARK ? ROLLED : INCOMPLETE;
            }
            if (length > channel.size() - position - WORD) {
                return IMPOSSIBLE;
            }
            final long end = position + WORD + length;
            position = (end + WORD - 1) & -WORD;
            if ((word & METADATA) == 0) {
                return length > JournalFormat.MAX_LENGTH ? IMPOSSIBLE : length;
            }
        }
    }

    /**
     * Returns true if there is data behind the document at which {@link #next} has stopped, be it none or an incomplete
     * one: its first word was destroyed, because a queue completes each document before it begins the next one.
     */
    boolean hasDataBehind() throws IOException {
        final int word = read(documentAt);
        if (word != 0 && (word & NOT_COMPLETE) == 0) {
            return false;
        }
        // A document that is being written begins with its length, unless that was not written yet. Its first word is
        // zero then, or has values of the queue's own.
        long from = documentAt + WORD;
        final int length = read(from);
        if (length >= JournalFormat.BODY_END && length <= JournalFormat.MAX_LENGTH) {
            from += (length + WORD - 1) & -WORD;
        } else if (word != 0) {
            return false;
        }
        // The word is read again last: its document may have been completed, and another one begun.
        return findData(from) && read(documentAt) == word;
    }

    /** Returns the word at an offset, or zero behind the end of the file. */
    private int read(long from) throws IOException {
        buffered = 0;
        return refill(from, WORD) ? buffer.getInt(0) : 0;
    }

    private boolean findData(long from) throws IOException {
        long at = from;
        while (refill(at, 1)) {
            for (int i = 0; i < buffered; i++) {
                if (buffer.get(i) != 0) {
                    return true;
                }
            }
            at += buffered;
        }
        buffered = 0;
        return false;
    }

    private int word() {
        return buffer.getInt((int) (position - bufferStart));
    }

    /** Copies the first {@code length} bytes of the document that was found last. Returns false if the file ends. */
    boolean copy(ByteBuffer target, int length) throws IOException {
        if (!fill(documentAt + WORD, length) && !refill(documentAt + WORD, length)) {
            return false;
        }
        target.put(0, buffer.array(), (int) (documentAt + WORD - bufferStart), length);
        return true;
    }

    /** Returns true if the buffer has these bytes. */
    private boolean fill(long from, int bytes) {
        return from >= bufferStart && from + bytes <= bufferStart + buffered;
    }

    private boolean refill(long from, int bytes) throws IOException {
        if (bytes > buffer.capacity()) {
            buffer = ByteBuffer.allocate(bytes + BUFFER_BYTES).order(JournalFormat.ORDER);
        }
        buffer.clear();
        bufferStart = from;
        buffered = 0;
        while (buffer.hasRemaining()) {
            final int read = channel.read(buffer, from + buffered);
            if (read <= 0) {
                break;
            }
            buffered += read;
        }
        return buffered >= bytes;
    }

    @Override
    public void close() throws IOException {
        channel.close();
    }
}
