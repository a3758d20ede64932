package org.segno.engine.model;

import java.util.concurrent.atomic.AtomicLongArray;
import org.agrona.concurrent.AtomicBuffer;
import org.agrona.concurrent.UnsafeBuffer;
import org.segno.engine.memory.Memory;

/**
 * Memory of words on the heap; a model checker sees every access. A word has one writer, or is changed atomically as a
 * whole, so a part of it may be stored by reading the rest. Nothing may be accessed through {@link #buffer}.
 */
final class HeapMemory extends Memory {
    private final AtomicLongArray words;

    HeapMemory(long length) {
        super(length);
        this.words = new AtomicLongArray((int) (length / Long.BYTES));
    }

    private static int word(long offset) {
        return (int) (offset >>> 3);
    }

    private static int shift(long offset) {
        return ((int) offset & 7) * 8;
    }

    private void put(long offset, long value, long bits) {
        final long mask = bits << shift(offset);
        final long rest = words.getPlain(word(offset)) & ~mask;
        words.setPlain(word(offset), rest | ((value << shift(offset)) & mask));
    }

    @Override
    public byte getByte(long offset) {
        return (byte) (words.getPlain(word(offset)) >>> shift(offset));
    }

    @Override
    public void putByte(long offset, byte value) {
        put(offset, value, 0xFF);
    }

    @Override
    public short getShort(long offset) {
        return (short) (words.getPlain(word(offset)) >>> shift(offset));
    }

    @Override
    public void putShort(long offset, short value) {
        put(offset, value, 0xFFFF);
    }

    @Override
    public int getInt(long offset) {
        return (int) (words.getPlain(word(offset)) >>> shift(offset));
    }

    @Override
    public void putInt(long offset, int value) {
        put(offset, value, 0xFFFF_FFFFL);
    }

    @Override
    public long getLong(long offset) {
        return words.getPlain(word(offset));
    }

    @Override
    public void putLong(long offset, long value) {
        words.setPlain(word(offset), value);
    }

    @Override
    public long getLongAcquire(long offset) {
        return words.getAcquire(word(offset));
    }

    @Override
    public void putLongRelease(long offset, long value) {
        words.setRelease(word(offset), value);
    }

    @Override
    public long getAndAddLong(long offset, long delta) {
        return words.getAndAdd(word(offset), delta);
    }

    @Override
    public boolean compareAndSetLong(long offset, long expected, long value) {
        return words.compareAndSet(word(offset), expected, value);
    }

    @Override
    public AtomicBuffer buffer(long offset, int bytes) {
        return new UnsafeBuffer(0, 0);
    }

    @Override
    public void wrap(UnsafeBuffer view, long offset, int bytes) {
        view.wrap(0, 0);
    }

    @Override
    public long address(long offset, long bytes) {
        throw new UnsupportedOperationException("words on the heap have no address");
    }

    @Override
    protected void copyBulk(long offset, Memory target, long targetOffset, long bytes) {
        for (long done = 0; done < bytes; done += Long.BYTES) {
            target.putLong(targetOffset + done, getLong(offset + done));
        }
    }
}
