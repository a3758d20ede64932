package org.segno.link;

import org.segno.engine.memory.Memory;
import org.segno.engine.packet.Frame;

/**
 * This node's end of a link to a node without mapped memory. It carries frames ({@link Frame}) reliably and in order
 * within each stream, or it has failed. It is bounded: a full stream accepts no further frame. Used by the engine's
 * thread; no method blocks.
 */
public interface Link extends AutoCloseable {
    /** Value of {@link #claim} for a frame that the stream has no room for. */
    long NO_ROOM = -1;

    /** Returns the rank at the other end. */
    int rank();

    /** Returns the state, which shows whether the link carries frames. */
    LinkState state();

    /**
     * Returns the length in bytes of the longest frame: a multiple of 8 from {@link Frame#MIN_LIMIT} to
     * {@link Frame#MAX_LIMIT}.
     */
    int frameLimit();

    /**
     * Returns a lower bound of the {@link #room} of an empty {@code stream}, at least {@link #frameLimit}. A longer
     * message is refused, so a transport holds the longest one of the lanes that it serves.
     */
    long capacity(int stream);

    /**
     * Returns the bytes of frames that can be claimed now in {@code stream}, a lower bound. All these frames but the
     * last one have the maximum length.
     */
    long room(int stream);

    /**
     * Returns true if {@code stream} has {@link #room} for so many bytes, at most {@link #capacity}. If not, the caller
     * waits for them, and the link learns what the peer has taken as soon as it can.
     */
    default boolean hasRoom(int stream, long bytes) {
        return room(stream) >= bytes;
    }

    /**
     * Claims a frame of exactly {@code length} bytes, a multiple of 8. The caller writes the frame and then
     * {@link #commit}s it. An uncommitted frame is not sent. At most one frame is claimed at a time.
     *
     * @return its offset in {@link #memory}, or {@link #NO_ROOM}
     */
    long claim(int stream, int length);

    /** Returns the memory of the frames that this end claims. */
    Memory memory();

    /** Sends the claimed frame, at the latest with the next {@link #flush}. */
    void commit(int stream);

    /** Ends a pass of the engine: committed frames leave now. */
    void flush();

    /**
     * Passes received frames of {@code stream} to the handler, at most {@code limit}.
     *
     * @return the number of accepted frames
     */
    int poll(int stream, FrameHandler handler, int limit);

    /** Ends the link at both ends. Received frames may still be polled. */
    @Override
    void close();
}
