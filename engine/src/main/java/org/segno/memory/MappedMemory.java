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

    @Override
    public byte getByte(long offset) {
        assert contains(offset, Byte.BYTES) : offset;
        return UnsafeApi.getByte(address + offset);
    }

    @Override
    public void putByte(long offset, byte value) {
        assert contains(offset, Byte.BYTES) : offset;
        UnsafeApi.putByte(address + offset, value);
    }

    @Override
    public short getShort(long offset) {
        assert contains(offset, Short.BYTES) : offset;
        return UnsafeApi.getShort(address + offset);
    }

    @Override
    public void putShort(long offset, short value) {
        assert contains(offset, Short.BYTES) : offset;
        UnsafeApi.putShort(address + offset, value);
    }

    @Override
    public int getInt(long offset) {
        assert contains(offset, Integer.BYTES) : offset;
        return UnsafeApi.getInt(address + offset);
    }

    @Override
    public void putInt(long offset, int value) {
        assert contains(offset, Integer.BYTES) : offset;
        UnsafeApi.putInt(address + offset, value);
    }

    @Override
    public long getLong(long offset) {
        assert contains(offset, Long.BYTES) : offset;
        return UnsafeApi.getLong(address + offset);
    }

    @Override
    public void putLong(long offset, long value) {
        assert contains(offset, Long.BYTES) : offset;
        UnsafeApi.putLong(address + offset, value);
    }

    @Override
    public long getLongAcquire(long offset) {
        assert contains(offset, Long.BYTES) : offset;
        return UnsafeApi.getLongAcquire(null, address + offset);
    }

    @Override
    public void putLongRelease(long offset, long value) {
        assert contains(offset, Long.BYTES) : offset;
        UnsafeApi.putLongRelease(null, address + offset, value);
    }

    @Override
    public long getAndAddLong(long offset, long delta) {
        assert contains(offset, Long.BYTES) : offset;
        return UnsafeApi.getAndAddLong(null, address + offset, delta);
    }

    @Override
    public boolean compareAndSetLong(long offset, long expected, long value) {
        assert contains(offset, Long.BYTES) : offset;
        return UnsafeApi.compareAndSetLong(null, address + offset, expected, value);
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
