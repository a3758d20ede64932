package org.segno.memory;

import java.nio.ByteBuffer;
import java.nio.MappedByteBuffer;
import org.agrona.BufferUtil;
import org.agrona.UnsafeApi;
import org.agrona.concurrent.AtomicBuffer;
import org.agrona.concurrent.UnsafeBuffer;

/**
 * A mapped range of a file: one mapping, or several that lie side by side in the address space, which makes no difference to
 * whoever reads or writes. It is never unmapped while reachable: the buffers that own the mappings are held here.
 */
public final class MappedMemory extends Memory {
    private final MappedByteBuffer[] segments;
    private final long address;

    public MappedMemory(MappedByteBuffer mapping) {
        this(new MappedByteBuffer[] {mapping}, mapping.capacity());
    }

    /** Segments side by side, of equal lengths but for the last: {@link ContiguousMapping}. */
    MappedMemory(MappedByteBuffer[] segments, long length) {
        super(length);
        this.segments = segments;
        this.address = BufferUtil.address(segments[0]);
    }

    /** Zeroed memory of this process alone, off the heap: no file, and nobody else maps it. */
    public static MappedMemory ofProcess(int bytes) {
        return new MappedMemory((MappedByteBuffer) ByteBuffer.allocateDirect(bytes));
    }

    /** Kept apart and small, so that every accessor is inlined wherever it is called. */
    private long at(long offset, int bytes) {
        assert contains(offset, bytes);
        return address + offset;
    }

    @Override
    public byte getByte(long offset) {
        return UnsafeApi.getByte(at(offset, Byte.BYTES));
    }

    @Override
    public void putByte(long offset, byte value) {
        UnsafeApi.putByte(at(offset, Byte.BYTES), value);
    }

    @Override
    public short getShort(long offset) {
        return UnsafeApi.getShort(at(offset, Short.BYTES));
    }

    @Override
    public void putShort(long offset, short value) {
        UnsafeApi.putShort(at(offset, Short.BYTES), value);
    }

    @Override
    public int getInt(long offset) {
        return UnsafeApi.getInt(at(offset, Integer.BYTES));
    }

    @Override
    public void putInt(long offset, int value) {
        UnsafeApi.putInt(at(offset, Integer.BYTES), value);
    }

    @Override
    public long getLong(long offset) {
        return UnsafeApi.getLong(at(offset, Long.BYTES));
    }

    @Override
    public void putLong(long offset, long value) {
        UnsafeApi.putLong(at(offset, Long.BYTES), value);
    }

    @Override
    public long getLongAcquire(long offset) {
        return UnsafeApi.getLongAcquire(null, at(offset, Long.BYTES));
    }

    @Override
    public void putLongRelease(long offset, long value) {
        UnsafeApi.putLongRelease(null, at(offset, Long.BYTES), value);
    }

    @Override
    public long getAndAddLong(long offset, long delta) {
        return UnsafeApi.getAndAddLong(null, at(offset, Long.BYTES), delta);
    }

    @Override
    public boolean compareAndSetLong(long offset, long expected, long value) {
        return UnsafeApi.compareAndSetLong(null, at(offset, Long.BYTES), expected, value);
    }

    @Override
    public AtomicBuffer buffer(long offset, int bytes) {
        if (!contains(offset, bytes)) {
            throw new IndexOutOfBoundsException(
                    "offset=" + offset + " length=" + bytes + " of " + length() + " mapped bytes");
        }
        // Of a segment of no length there is only one.
        final long segmentLength = Math.max(1, segments[0].capacity());
        final long last = Math.max(offset, offset + bytes - 1);
        if (segments.length == 1 || offset / segmentLength == last / segmentLength) {
            final int segment = segments.length == 1 ? 0 : (int) (offset / segmentLength);
            return new UnsafeBuffer(segments[segment], (int) (offset - segment * segmentLength), bytes);
        }
        return new SeamBuffer(this, address + offset, bytes);
    }

    /** A view of bytes of more than one segment: holds them all, as one over a single mapping holds that. */
    private static final class SeamBuffer extends UnsafeBuffer {
        @SuppressWarnings({"unused", "FieldCanBeLocal"}) // Keeps the segments mapped while the buffer is reachable.
        private final MappedMemory memory;

        SeamBuffer(MappedMemory memory, long address, int bytes) {
            super(address, bytes);
            this.memory = memory;
        }
    }

    @Override
    protected void copyBulk(long offset, Memory target, long targetOffset, long bytes) {
        assert contains(offset, bytes) && target.contains(targetOffset, bytes)
                : offset + " " + targetOffset + " " + bytes;
        UnsafeApi.copyMemory(address + offset, ((MappedMemory) target).address + targetOffset, bytes);
    }
}
