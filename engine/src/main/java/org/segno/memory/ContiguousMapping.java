package org.segno.memory;

import java.io.IOException;
import java.nio.MappedByteBuffer;
import java.util.ArrayList;
import java.util.List;
import org.agrona.BitUtil;
import org.agrona.BufferUtil;
import org.jspecify.annotations.Nullable;

/**
 * Maps what is longer than one mapping can be: segments that lie side by side in the address space, so that whoever reads or
 * copies sees one range and no seams.
 *
 * <p>The JDK maps at most 2 GiB at a time and lets nobody choose the address. The system places mappings of equal size side by
 * side, downwards as a rule, unless another thread maps something in between. So the segments are mapped one after the other, the
 * last one first, and looked at: if one lies elsewhere, all are mapped again, while those that failed still stand in the gap that
 * led astray. Address space is all that an attempt costs, until its mappings are collected.
 */
final class ContiguousMapping {
    /** The longest segment. */
    static final long SEGMENT_LENGTH = 1L << 30;

    /** Among threads that do nothing but map, a handful has been seen. */
    private static final int ATTEMPTS = 100;

    private ContiguousMapping() {}

    /** Maps a part of a file somewhere. */
    interface Mapper {
        MappedByteBuffer map(long offset, long bytes) throws IOException;
    }

    /**
     * Maps {@code length} bytes, whole pages, in segments of at most {@code longest}. They are about equally long: a short one would
     * find its place in some small gap.
     *
     * @throws IOException if a segment cannot be mapped, or they never came to lie side by side
     */
    static Memory map(Mapper mapper, long length, long longest) throws IOException {
        final long count = (length + longest - 1) / longest;
        final long segmentLength = BitUtil.align((length + count - 1) / count, NodeLayout.PAGE);
        final List<MappedByteBuffer> astray = new ArrayList<>();
        for (int attempt = 0; attempt < ATTEMPTS; attempt++) {
            // Systems that place mappings upwards need the other order.
            final MappedByteBuffer[] segments = attempt(mapper, length, segmentLength, attempt % 2 == 0, astray);
            if (segments != null) {
                return new MappedMemory(segments, length);
            }
        }
        throw new IOException(length + " bytes did not come to lie side by side in the address space, in " + ATTEMPTS
                + " attempts: join before other threads are started, or ask for fewer windowBytes");
    }

    private static MappedByteBuffer @Nullable [] attempt(
            Mapper mapper, long length, long segmentLength, boolean downwards, List<MappedByteBuffer> astray)
            throws IOException {
        final int count = Math.toIntExact((length + segmentLength - 1) / segmentLength);
        final MappedByteBuffer[] segments = new MappedByteBuffer[count];
        long start = 0;
        for (int i = 0; i < count; i++) {
            final int index = downwards ? count - 1 - i : i;
            final long offset = index * segmentLength;
            final MappedByteBuffer segment = mapper.map(offset, Math.min(segmentLength, length - offset));
            astray.add(segment);
            segments[index] = segment;
            final long expected = start + offset;
            if (i > 0 && BufferUtil.address(segment) != expected) {
                return null;
            }
            start = BufferUtil.address(segment) - offset;
        }
        return segments;
    }
}
