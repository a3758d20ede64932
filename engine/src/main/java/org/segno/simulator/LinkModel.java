package org.segno.simulator;

import java.util.random.RandomGenerator;
import org.segno.engine.packet.Frame;

/**
 * Properties of a simulated link, in each direction.
 *
 * @param latencyNs time that the first byte of a frame needs
 * @param jitterNs bound of the random time that is added for each frame
 * @param bytesPerMicrosecond bandwidth
 * @param frames frames that each stream holds until the receiver takes them
 * @param frameLimit length in bytes of the longest frame
 */
record LinkModel(long latencyNs, long jitterNs, long bytesPerMicrosecond, int frames, int frameLimit) {
    private static final int[] FRAME_LIMITS = {256, 512, 1024, 4096};

    /**
     * Draws the properties of a link, the smallest buffers among them that hold a message of {@code longest} bytes.
     */
    static LinkModel draw(RandomGenerator random, int longest) {
        final int frameLimit = FRAME_LIMITS[random.nextInt(FRAME_LIMITS.length)];
        final int payload = Frame.payloadLimit(frameLimit);
        final int fewest = (longest + payload - 1) / payload;
        return new LinkModel(
                random.nextInt(100, 20_000),
                random.nextInt(1, 10_000),
                random.nextInt(50, 10_000),
                random.nextInt(4) == 0 ? fewest : random.nextInt(fewest, 33),
                frameLimit);
    }

    /** Returns the time that a frame occupies the link. */
    long transferNs(int length) {
        return length * 1_000L / bytesPerMicrosecond;
    }
}
