package org.segno.memory;

import java.nio.MappedByteBuffer;
import org.agrona.BufferUtil;
import org.agrona.UnsafeApi;
import org.agrona.concurrent.AtomicBuffer;
import org.agrona.concurrent.UnsafeBuffer;

/**
 * A mapped range of a file. It is never unmapped while reachable: the buffer that owns the mapping is held here.
 */
public final class MappedMemory extends Memory {
    private final MappedByteBuffer mapping;
    private final long address;

    public MappedMemory(MappedByteBuffer mapping) {
        super(mapping.capacity());
        this.mapping = mapping;
        this.address = BufferUtil.address(mapping);
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
        return new UnsafeBuffer(mapping, (int) offset, bytes);
    }

    @Override
    protected void copyBulk(long offset, Memory target, long targetOffset, long bytes) {
        assert contains(offset, bytes) && target.contains(targetOffset, bytes)
                : offset + " " + targetOffset + " " + bytes;
        UnsafeApi.copyMemory(address + offset, ((MappedMemory) target).address + targetOffset, bytes);
    }
}
