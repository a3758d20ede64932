package org.segno.engine.weak;

import java.nio.ByteBuffer;
import org.agrona.BufferUtil;
import org.agrona.DirectBuffer;
import org.agrona.concurrent.AtomicBuffer;
import org.agrona.concurrent.UnsafeBuffer;
import org.segno.engine.memory.Memory;

/**
 * Range of a {@link WeakModel}. Accesses through {@link #buffer} go to other memory, so threads under test must not use
 * it.
 */
final class WeakMemory extends Memory {
    private static final int LARGEST_BUFFER = 1 << 16;
    private static final ByteBuffer ELSEWHERE = BufferUtil.allocateDirectAligned(LARGEST_BUFFER, Long.BYTES);

    private final WeakModel model;
    private final int region;

    WeakMemory(WeakModel model, long length) {
        super(length);
        this.model = model;
        this.region = model.addRegion(length);
    }

    private long load(long offset, int bytes, Access access) {
        if (!contains(offset, bytes)) {
            throw new IndexOutOfBoundsException("offset=" + offset + " bytes=" + bytes + " of " + length());
        }
        final int at = (int) offset & 7;
        final int inFirst = Math.min(bytes, Long.BYTES - at);
        final long first = model.load(model.word(region, offset), mask(at, inFirst), access) >>> (8 * at);
        if (inFirst == bytes) {
            return first;
        }
        final int rest = bytes - inFirst;
        final long second = model.load(model.word(region, offset + inFirst), mask(0, rest), access);
        return first | (second << (8 * inFirst));
    }

    private void store(long offset, int bytes, long value, Access access) {
        if (!contains(offset, bytes)) {
            throw new IndexOutOfBoundsException("offset=" + offset + " bytes=" + bytes + " of " + length());
        }
        final int at = (int) offset & 7;
        final int inFirst = Math.min(bytes, Long.BYTES - at);
        model.store(model.word(region, offset), mask(at, inFirst), value << (8 * at), access);
        if (inFirst != bytes) {
            model.store(
                    model.word(region, offset + inFirst), mask(0, bytes - inFirst), value >>> (8 * inFirst), access);
        }
    }

    private static int mask(int from, int bytes) {
        return ((1 << bytes) - 1) << from;
    }

    private Word aligned(long offset) {
        if ((offset & 7) != 0 || !contains(offset, Long.BYTES)) {
            throw new IndexOutOfBoundsException("offset=" + offset + " of " + length() + " must be a multiple of 8");
        }
        return model.word(region, offset);
    }

    @Override
    public byte getByte(long offset) {
        return (byte) load(offset, Byte.BYTES, Access.LOAD);
    }

    @Override
    public void putByte(long offset, byte value) {
        store(offset, Byte.BYTES, value, Access.STORE);
    }

    @Override
    public short getShort(long offset) {
        return (short) load(offset, Short.BYTES, Access.LOAD);
    }

    @Override
    public void putShort(long offset, short value) {
        store(offset, Short.BYTES, value, Access.STORE);
    }

    @Override
    public int getInt(long offset) {
        return (int) load(offset, Integer.BYTES, Access.LOAD);
    }

    @Override
    public void putInt(long offset, int value) {
        store(offset, Integer.BYTES, value, Access.STORE);
    }

    @Override
    public long getLong(long offset) {
        return load(offset, Long.BYTES, Access.LOAD);
    }

    @Override
    public void putLong(long offset, long value) {
        store(offset, Long.BYTES, value, Access.STORE);
    }

    @Override
    public long getLongAcquire(long offset) {
        return model.load(aligned(offset), 0xFF, Access.ACQUIRE);
    }

    @Override
    public void putLongRelease(long offset, long value) {
        model.store(aligned(offset), 0xFF, value, Access.RELEASE);
    }

    @Override
    public long getAndAddLong(long offset, long delta) {
        return model.add(aligned(offset), delta);
    }

    @Override
    public boolean compareAndSetLong(long offset, long expected, long value) {
        return model.compareAndSet(aligned(offset), expected, value);
    }

    @Override
    public void fullFence() {
        model.fence();
    }

    @Override
    public AtomicBuffer buffer(long offset, int bytes) {
        return new UnsafeBuffer(ELSEWHERE, 0, bytes);
    }

    /** Returns true for a view of simulated memory, which has only its length. */
    @SuppressWarnings("ReferenceEquality") // Buffers with equal content are equal.
    static boolean isViewOfSimulated(DirectBuffer view) {
        return view.byteBuffer() == ELSEWHERE;
    }

    @Override
    public void wrap(UnsafeBuffer view, long offset, int bytes) {
        view.wrap(ELSEWHERE, 0, bytes);
    }

    @Override
    public long address(long offset, long bytes) {
        throw new UnsupportedOperationException("simulated memory has no address");
    }

    @Override
    protected void copyBulk(long offset, Memory target, long targetOffset, long bytes) {
        long done = 0;
        for (; done <= bytes - Long.BYTES; done += Long.BYTES) {
            target.putLong(targetOffset + done, getLong(offset + done));
        }
        for (; done < bytes; done++) {
            target.putByte(targetOffset + done, getByte(offset + done));
        }
    }
}
