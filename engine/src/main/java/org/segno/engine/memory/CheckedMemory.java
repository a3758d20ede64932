package org.segno.engine.memory;

import java.nio.MappedByteBuffer;

/** Mapped memory that checks the bounds of each access, for programs that run with assertions. */
final class CheckedMemory extends MappedMemory {
    /** Bytes that may be accessed: all, or those where a view is. */
    private long limit;

    CheckedMemory(MappedByteBuffer[] segments, long length) {
        super(segments, length);
        this.limit = segments.length == 0 ? 0 : length;
    }

    @Override
    void move(long newAddress, int bytes) {
        super.move(newAddress, bytes);
        limit = bytes;
    }

    private long check(long offset, int bytes) {
        assert offset >= 0 && offset <= limit - bytes
                : "offset=" + offset + " bytes=" + bytes + " of " + limit + " mapped bytes";
        return offset;
    }

    @Override
    public byte getByte(long offset) {
        return super.getByte(check(offset, Byte.BYTES));
    }

    @Override
    public void putByte(long offset, byte value) {
        super.putByte(check(offset, Byte.BYTES), value);
    }

    @Override
    public short getShort(long offset) {
        return super.getShort(check(offset, Short.BYTES));
    }

    @Override
    public void putShort(long offset, short value) {
        super.putShort(check(offset, Short.BYTES), value);
    }

    @Override
    public int getInt(long offset) {
        return super.getInt(check(offset, Integer.BYTES));
    }

    @Override
    public void putInt(long offset, int value) {
        super.putInt(check(offset, Integer.BYTES), value);
    }

    @Override
    public long getLong(long offset) {
        return super.getLong(check(offset, Long.BYTES));
    }

    @Override
    public void putLong(long offset, long value) {
        super.putLong(check(offset, Long.BYTES), value);
    }

    @Override
    public long getLongAcquire(long offset) {
        return super.getLongAcquire(check(offset, Long.BYTES));
    }

    @Override
    public void putLongRelease(long offset, long value) {
        super.putLongRelease(check(offset, Long.BYTES), value);
    }

    @Override
    public long getAndAddLong(long offset, long delta) {
        return super.getAndAddLong(check(offset, Long.BYTES), delta);
    }

    @Override
    public boolean compareAndSetLong(long offset, long expected, long value) {
        return super.compareAndSetLong(check(offset, Long.BYTES), expected, value);
    }
}
