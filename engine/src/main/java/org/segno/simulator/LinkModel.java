package org.segno.simulator;

import java.util.SplittableRandom;
import org.segno.engine.packet.Frame;

/**
 * Properties of a simulated link, in each direction.
 *
 * @param latencyNs time that the first byte of a frame needs
 * @param jitterNs bound of the random time that is added for each frame
 * @param overtakingNs bound of the random delay of some frames, within which frames of other streams overtake them; 0
 *     for none
 * @param bytesPerMicrosecond bandwidth
 * @param frames frames that each stream holds until the receiver takes them
 * @param frameLimit length in bytes of the longest frame
 */
record LinkModel(
        long latencyNs, long jitterNs, long overtakingNs, long bytesPerMicrosecond, int frames, int frameLimit) {
    private static final int[] FRAME_LIMITS = {Frame.MIN_LIMIT, 512, 1024, 2048};
    private static final int MOST_FRAMES = 33;
    private static final int SLOWER = 20;

    /** Draws the properties of a link that holds a message of {@code longest} bytes. */
    static LinkModel draw(SplittableRandom random, int longest) {
        final int frameLimit = FRAME_LIMITS[random.nextInt(FRAME_LIMITS.length)];
        return new LinkModel(
                random.nextInt(100, 20_000),
                random.nextInt(1, 10_000),
                0,
                random.nextInt(50, 10_000),
                random.nextInt(fewest(frameLimit, longest), MOST_FRAMES),
                frameLimit);
    }

    /** Returns the smallest number of frames that hold a message. */
    private static int fewest(int frameLimit, int longest) {
        final int payload = Frame.payloadLimit(frameLimit);
        return (longest + payload - 1) / payload;
    }

    /** Returns the link with the smallest buffers that hold a message of {@code longest} bytes. */
    LinkModel smallest(int longest) {
        return new LinkModel(
                latencyNs, jitterNs, overtakingNs, bytesPerMicrosecond, fewest(frameLimit, longest), frameLimit);
    }

    /** Returns a link that is several times slower. */
    LinkModel slow() {
        return new LinkModel(
                SLOWER * latencyNs,
                SLOWER * jitterNs,
                overtakingNs,
                Math.max(10, bytesPerMicrosecond / SLOWER),
                frames,
                frameLimit);
    }

    /** Returns the same link with frames that may overtake frames of other streams by up to this time. */
    LinkModel overtaking(long mostNs) {
        return new LinkModel(latencyNs, jitterNs, mostNs, bytesPerMicrosecond, frames, frameLimit);
    }

    /** Returns the time that a frame occupies the link. */
    long transferNs(int length) {
        return length * 1_000L / bytesPerMicrosecond;
    }
}
