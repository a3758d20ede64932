package org.segno.bench.parts;

import io.aeron.protocol.DataHeaderFlyweight;
import java.nio.ByteBuffer;
import org.agrona.concurrent.UnsafeBuffer;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.State;
import org.segno.transport.aeron.FrameTags;
import org.segno.transport.aeron.LinkKey;

/**
 * Benchmarks of the tag of a datagram with one frame: its sender computes it, and its receiver computes it again and
 * compares. The short frame is that of a message of 64 bytes, the others fill datagrams of an MTU.
 */
@State(Scope.Thread)
public class FrameTagsBenchmark {
    private static final int HEADER = DataHeaderFlyweight.HEADER_LENGTH;
    private static final int SHORT = 96;
    private static final int ETHERNET = 1408 - HEADER;
    private static final int LONGEST = 65_504 - HEADER;

    private final FrameTags tags = new FrameTags(new LinkKey(1, 2, 3));
    private final UnsafeBuffer shortFrame = frame(SHORT);
    private final UnsafeBuffer ethernetFrame = frame(ETHERNET);
    private final UnsafeBuffer longestFrame = frame(LONGEST);

    private UnsafeBuffer frame(int bodyLength) {
        final UnsafeBuffer frame = new UnsafeBuffer(ByteBuffer.allocateDirect(HEADER + bodyLength));
        frame.setMemory(HEADER, bodyLength, (byte) 1);
        tags.write(frame, 0, bodyLength);
        return frame;
    }

    /** Measures the tag of a short frame at its sender. */
    @Benchmark
    public UnsafeBuffer tagOfAShortFrame() {
        tags.write(shortFrame, 0, SHORT);
        return shortFrame;
    }

    /** Measures the check of a short frame at its receiver. */
    @Benchmark
    public boolean checkOfAShortFrame() {
        return tags.isRight(shortFrame, 0, SHORT);
    }

    /** Measures the tag of a frame that fills a datagram of MTU 1408. */
    @Benchmark
    public UnsafeBuffer tagOfMtu1408() {
        tags.write(ethernetFrame, 0, ETHERNET);
        return ethernetFrame;
    }

    /** Measures the check of a frame that fills a datagram of MTU 1408. */
    @Benchmark
    public boolean checkOfMtu1408() {
        return tags.isRight(ethernetFrame, 0, ETHERNET);
    }

    /** Measures the tag of a frame that fills a datagram of MTU 65504. */
    @Benchmark
    public UnsafeBuffer tagOfMtu65504() {
        tags.write(longestFrame, 0, LONGEST);
        return longestFrame;
    }

    /** Measures the check of a frame that fills a datagram of MTU 65504. */
    @Benchmark
    public boolean checkOfMtu65504() {
        return tags.isRight(longestFrame, 0, LONGEST);
    }
}
