package org.segno.link;

import org.agrona.BitUtil;
import org.segno.engine.memory.MappedMemory;
import org.segno.engine.memory.Memory;
import org.segno.engine.packet.Frame;

/**
 * A link through memory. Both ends are in one process, and one thread uses each. Each stream is a ring of bytes in
 * either direction:
 *
 * <pre>
 *  offset  length  field   meaning                                                written by   access
 *       0       8  head    bytes taken                                            receiver     release
 *       8     120  reserved
 *     128          frames  a power of two of bytes
 * </pre>
 *
 * <p>Before each frame lies a word with its length, which the sender stores last (release). Zero means that there is no
 * frame yet, and a negative word that the rest of the ring is empty and the next frame lies at its beginning. The
 * sender clears the word behind a frame before it stores that of the frame, so at least one word of a ring is free.
 *
 * <p>The ring of requests is the longest, because their messages may be as long as a lane allows. Each other ring has a
 * quarter of its length, but room for two frames.
 */
public final class MemoryLink implements Link {
    /** Default length in bytes of the longest ring: the longest message of a lane of the maximum length fits. */
    public static final int DEFAULT_BYTES = 128 * 1024;

    /** Default length in bytes of the longest frame. */
    public static final int DEFAULT_FRAME_LIMIT = 8 * 1024;

    private static final int FRAMES_OFFSET = 128;
    private static final int WORD = Long.BYTES;
    private static final long PADDING = -1;

    private final int rank;
    private final int bytes;
    private final int shortBytes;
    private final int frameLimit;
    private final Memory outgoing;
    private final Memory incoming;
    private final Shared shared;
    private final long[] tails = new long[Frame.STREAMS];
    private final int[] claimed = new int[Frame.STREAMS];

    private MemoryLink(int rank, int bytes, int frameLimit, Memory outgoing, Memory incoming, Shared shared) {
        this.rank = rank;
        this.bytes = bytes;
        this.shortBytes = shortBytes(bytes, frameLimit);
        this.frameLimit = frameLimit;
        this.outgoing = outgoing;
        this.incoming = incoming;
        this.shared = shared;
    }

    private volatile boolean isClosed;

    /** State that both ends share. */
    private static final class Shared {
        private volatile boolean down;
    }

    /**
     * Creates both ends of a link.
     *
     * @param first rank that uses the first end
     * @param second rank that uses the second end
     * @param bytes length of the longest ring, a power of two
     * @param frameLimit length of the longest frame
     * @throws IllegalArgumentException if a length is invalid
     */
    public static MemoryLink[] join(int first, int second, int bytes, int frameLimit) {
        final int length = lengthFor(bytes, frameLimit);
        return join(first, second, bytes, frameLimit, MappedMemory.ofProcess(length), MappedMemory.ofProcess(length));
    }

    /** Creates both ends of a link over zeroed memory for either direction, of {@link #lengthFor} bytes each. */
    public static MemoryLink[] join(int first, int second, int bytes, int frameLimit, Memory there, Memory back) {
        final int length = lengthFor(bytes, frameLimit);
        if (there.length() < length || back.length() < length) {
            throw new IllegalArgumentException("the memory of a direction must have " + length + " bytes: there="
                    + there.length() + " back=" + back.length());
        }
        final Shared shared = new Shared();
        return new MemoryLink[] {
            new MemoryLink(second, bytes, frameLimit, there, back, shared),
            new MemoryLink(first, bytes, frameLimit, back, there, shared)
        };
    }

    /**
     * Returns the length in bytes of the memory of one direction.
     *
     * @throws IllegalArgumentException if a length is invalid
     */
    public static int lengthFor(int bytes, int frameLimit) {
        if (frameLimit < Frame.MIN_LIMIT || frameLimit > Frame.MAX_LIMIT || frameLimit % Frame.ALIGNMENT != 0) {
            throw new IllegalArgumentException("frameLimit must be a multiple of " + Frame.ALIGNMENT + " from "
                    + Frame.MIN_LIMIT + " to " + Frame.MAX_LIMIT + ": frameLimit=" + frameLimit);
        }
        // A longest frame that does not fit behind the position of an empty ring fits before it.
        if (!BitUtil.isPowerOfTwo(bytes) || bytes < 2 * (frameLimit + WORD)) {
            throw new IllegalArgumentException("bytes must be a power of two and at least two frames: bytes=" + bytes
                    + " frameLimit=" + frameLimit);
        }
        return Math.toIntExact(Frame.STREAMS * FRAMES_OFFSET + bytes + 2L * shortBytes(bytes, frameLimit));
    }

    /** Returns the length of the rings of all streams but the requests. */
    private static int shortBytes(int bytes, int frameLimit) {
        return Math.max(bytes / 4, BitUtil.findNextPositivePowerOfTwo(2 * (frameLimit + WORD)));
    }

    @Override
    public int rank() {
        return rank;
    }

    @Override
    public LinkState state() {
        if (!shared.down) {
            return LinkState.UP;
        }
        return isClosed ? LinkState.DOWN : LinkState.ENDED;
    }

    @Override
    public int frameLimit() {
        return frameLimit;
    }

    @Override
    public long capacity(int stream) {
        // The end of the ring is unused if a longest frame needs one word more.
        return frames((long) bytes(stream) - WORD - frameLimit);
    }

    @Override
    public long room(int stream) {
        if (shared.down) {
            return 0;
        }
        final long free = free(stream);
        final long end = (long) bytes(stream) - index(stream, tails[stream]);
        if (free <= end) {
            return frames(free);
        }
        final long wrapped = free - end;
        final long before = wholeFrames(end);
        final long after = wholeFrames(wrapped);
        // A shorter frame lies behind the last of maximum length. It may still lie at the end if none is at the start.
        final long rest = after == 0 ? Math.max(rest(end, before), wrapped) : rest(wrapped, after);
        return (before + after) * frameLimit + Math.max(0, rest - WORD);
    }

    /** Returns the bytes of frames that fit in contiguous bytes. */
    private long frames(long contiguous) {
        final long whole = wholeFrames(contiguous);
        return whole * frameLimit + Math.max(0, rest(contiguous, whole) - WORD);
    }

    private long wholeFrames(long contiguous) {
        return contiguous / (WORD + frameLimit);
    }

    private long rest(long contiguous, long frames) {
        return contiguous - frames * (WORD + frameLimit);
    }

    /** Returns the bytes that may be written, without the word that stays free. */
    private long free(int stream) {
        return (long) bytes(stream) - WORD - (tails[stream] - outgoing.getLongAcquire(ring(stream)));
    }

    @Override
    public long claim(int stream, int length) {
        assert length >= Frame.LENGTH && length <= frameLimit && length % Frame.ALIGNMENT == 0;
        final long tail = tails[stream];
        final long free = shared.down ? 0 : free(stream);
        final int end = bytes(stream) - index(stream, tail);
        final boolean fits = WORD + length <= end;
        if (free < WORD + length + (fits ? 0 : end)) {
            return NO_ROOM;
        }
        claimed[stream] = length;
        if (!fits) {
            outgoing.putLong(word(stream, 0), 0);
            outgoing.putLongRelease(word(stream, tail), PADDING);
            tails[stream] = tail + end;
        }
        return word(stream, tails[stream]) + WORD;
    }

    @Override
    public Memory memory() {
        return outgoing;
    }

    @Override
    public void commit(int stream) {
        final long tail = tails[stream];
        final long next = tail + WORD + claimed[stream];
        outgoing.putLong(word(stream, next), 0);
        outgoing.putLongRelease(word(stream, tail), claimed[stream]);
        tails[stream] = next;
    }

    @Override
    public void flush() {
        // A commit has sent its frame.
    }

    @Override
    public int poll(int stream, FrameHandler handler, int limit) {
        final long ring = ring(stream);
        long head = incoming.getLong(ring);
        int frames = 0;
        while (frames < limit) {
            final long word = word(stream, head);
            final long length = incoming.getLongAcquire(word);
            if (length == 0) {
                break;
            }
            if (length < 0) {
                head += bytes(stream) - index(stream, head);
                continue;
            }
            if (!handler.onFrame(incoming, word + WORD, (int) length)) {
                break;
            }
            frames++;
            head += WORD + length;
            incoming.putLongRelease(ring, head);
        }
        return frames;
    }

    private int bytes(int stream) {
        return stream == Frame.REQUESTS ? bytes : shortBytes;
    }

    private int index(int stream, long position) {
        return (int) position & (bytes(stream) - 1);
    }

    private long ring(int stream) {
        // The longest ring is the first one.
        return stream == Frame.REQUESTS
                ? 0
                : FRAMES_OFFSET + bytes + (long) (stream - 1) * (FRAMES_OFFSET + shortBytes);
    }

    private long word(int stream, long position) {
        return ring(stream) + FRAMES_OFFSET + index(stream, position);
    }

    @Override
    public void close() {
        isClosed = true;
        shared.down = true;
    }
}
