package org.segno.engine.memory;

import java.io.IOException;
import java.nio.MappedByteBuffer;
import java.util.ArrayList;
import java.util.List;
import org.agrona.BitUtil;
import org.agrona.BufferUtil;
import org.jspecify.annotations.Nullable;

/**
 * Mapper of ranges that are longer than the largest possible mapping. It maps segments that are adjacent in the address
 * space, so that readers and copies see one contiguous range.
 *
 * <p>The JDK maps at most 2 GiB at a time and gives no choice of the address. The system places mappings of equal size
 * side by side, usually downwards, unless another thread maps something in between. The segments are therefore mapped
 * one after the other, the last one first, and their addresses are checked. If one lies elsewhere, all are mapped
 * again, while the failed mappings still occupy the gap that misled the attempt. An attempt costs only address space,
 * until its mappings are collected.
 */
final class ContiguousMapping {
    /** Maximum length of a segment in bytes. */
    static final long SEGMENT_LENGTH = 1L << 30;

    /** Maximum number of attempts. A handful has been observed among threads that do nothing but map. */
    private static final int ATTEMPTS = 100;

    private ContiguousMapping() {}

    /** Function that maps a part of a file at an arbitrary address. */
    interface Mapper {
        MappedByteBuffer map(long offset, long bytes) throws IOException;
    }

    /**
     * Maps {@code length} bytes, whole pages, in segments of at most {@code longest} bytes. The segments have about
     * equal lengths, because the system would place a short one in some small gap.
     *
     * @throws IOException if a segment cannot be mapped, or if no attempt yields adjacent segments
     */
    static Memory map(Mapper mapper, long length, long longest) throws IOException {
        final long count = (length + longest - 1) / longest;
        final long segmentLength = BitUtil.align((length + count - 1) / count, NodeLayout.PAGE);
        final List<MappedByteBuffer> astray = new ArrayList<>();
        for (int attempt = 0; attempt < ATTEMPTS; attempt++) {
            // Systems that place mappings upwards need the other order.
            final MappedByteBuffer[] segments = attempt(mapper, length, segmentLength, attempt % 2 == 0, astray);
            if (segments != null) {
                return MappedMemory.of(segments, length);
            }
        }
        throw new IOException("cannot map " + length + " bytes of contiguous address space in " + ATTEMPTS
                + " attempts; join before other threads are started, or reduce NodeConfig.withWindowBytes");
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
