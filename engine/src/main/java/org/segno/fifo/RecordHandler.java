package org.segno.fifo;

import org.agrona.DirectBuffer;

/** Takes the records of a lane, in place, on the thread that polls it. */
public interface RecordHandler {
    /**
     * A message.
     *
     * @param origin rank whose engine wrote it
     * @param dispatchId as sent, 0 to 65,535
     * @param buffer the lane; valid until this returns
     * @param metadataOffset where the metadata begin in it; the payload follows them
     * @param metadataLength 0 to 24
     * @param payloadLength bytes
     * @return false if it was not taken: it stays where it is, with all that came behind it, and is handed over again in the next poll
     */
    boolean onMessage(
            int origin, int dispatchId, DirectBuffer buffer, int metadataOffset, int metadataLength, int payloadLength);

    /** A counter of this node was hit. */
    void onEvent(int counter);

    /** The fill of one of this context's injection FIFOs has fallen below its threshold. */
    void onFifoEvent(int number);

    /** The lane of {@code origin} holds an impossible record: it is read no more. Told once. */
    void onQuarantine(int origin);
}
