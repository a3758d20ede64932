package org.segno.engine.memory;

import java.nio.ByteBuffer;
import java.nio.MappedByteBuffer;
import org.agrona.BufferUtil;
import org.agrona.UnsafeApi;
import org.agrona.concurrent.AtomicBuffer;
import org.agrona.concurrent.UnsafeBuffer;

/**
 * A mapped range of a file, either one mapping or several that are adjacent in the address space. Readers and writers
 * see no difference. It is not unmapped while reachable, because it holds the buffers that own the mappings.
 */
public final class MappedMemory extends Memory {
    private final MappedByteBuffer[] segments;
    private final long address;

    public MappedMemory(MappedByteBuffer mapping) {
        this(new MappedByteBuffer[] {mapping}, mapping.capacity());
    }

    /** Creates a range of adjacent segments of equal lengths, except for the last: {@link ContiguousMapping}. */
    MappedMemory(MappedByteBuffer[] segments, long length) {
        super(length);
        this.segments = segments;
        this.address = BufferUtil.address(segments[0]);
    }

    /** Returns zeroed off-heap memory that is private to this process and has no file. */
    public static MappedMemory ofProcess(int bytes) {
        return new MappedMemory((MappedByteBuffer) ByteBuffer.allocateDirect(bytes));
    }

    /**
     * Returns the address of an offset. It is a small method of its own so that every accessor is inlined by its
     * callers.
     */
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
        // There is only one segment if its length is zero.
        final long segmentLength = Math.max(1, segments[0].capacity());
        final long last = Math.max(offset, offset + bytes - 1);
        if (segments.length == 1 || offset / segmentLength == last / segmentLength) {
            final int segment = segments.length == 1 ? 0 : (int) (offset / segmentLength);
            return new UnsafeBuffer(segments[segment], (int) (offset - segment * segmentLength), bytes);
        }
        return new SeamBuffer(this, address + offset, bytes);
    }

    @Override
    public void wrap(UnsafeBuffer view, long offset, int bytes) {
        if (!contains(offset, bytes)) {
            throw new IndexOutOfBoundsException(
                    "offset=" + offset + " length=" + bytes + " of " + length() + " mapped bytes");
        }
        view.wrap(address + offset, bytes);
    }

    /**
     * View of bytes of more than one segment. It keeps all segments reachable, as a view of a single mapping keeps that
     * mapping.
     */
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
