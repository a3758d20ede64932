package org.segno.link;

import org.segno.engine.memory.Memory;

/** Receiver of the frames of a link. */
@FunctionalInterface
public interface FrameHandler {
    /**
     * Receives a frame, which is valid until this method returns.
     *
     * @param length length in bytes, at least that of the header and a multiple of 8
     * @return false to receive it again later, before any other frame of its stream
     */
    boolean onFrame(Memory memory, long offset, int length);
}
