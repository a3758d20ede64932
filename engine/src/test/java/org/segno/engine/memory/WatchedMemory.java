package org.segno.engine.memory;

import java.util.ArrayList;
import java.util.List;
import org.agrona.concurrent.AtomicBuffer;
import org.agrona.concurrent.UnsafeBuffer;

/** Memory that notes every atomic add before it is made, because many may happen between two checks of a test. */
public final class WatchedMemory extends Memory {
    private final Memory watched;
    private final List<Add> adds = new ArrayList<>();
    private Runnable beforeAdd = () -> {};

    public WatchedMemory(Memory watched) {
        super(watched.length());
        this.watched = watched;
    }

    /**
     * An atomic add.
     *
     * @param offset where
     * @param delta how much
     */
    public record Add(long offset, long delta) {}

    /** Sets an action that runs before each add, on the adding thread. */
    public void beforeAdd(Runnable look) {
        beforeAdd = look;
    }

    /** Returns and removes the adds noted since the last call. */
    public List<Add> takeAdds() {
        final List<Add> taken = List.copyOf(adds);
        adds.clear();
        return taken;
    }

    @Override
    public byte getByte(long offset) {
        return watched.getByte(offset);
    }

    @Override
    public void putByte(long offset, byte value) {
        watched.putByte(offset, value);
    }

    @Override
    public short getShort(long offset) {
        return watched.getShort(offset);
    }

    @Override
    public void putShort(long offset, short value) {
        watched.putShort(offset, value);
    }

    @Override
    public int getInt(long offset) {
        return watched.getInt(offset);
    }

    @Override
    public void putInt(long offset, int value) {
        watched.putInt(offset, value);
    }

    @Override
    public long getLong(long offset) {
        return watched.getLong(offset);
    }

    @Override
    public void putLong(long offset, long value) {
        watched.putLong(offset, value);
    }

    @Override
    public long getLongAcquire(long offset) {
        return watched.getLongAcquire(offset);
    }

    @Override
    public void putLongRelease(long offset, long value) {
        watched.putLongRelease(offset, value);
    }

    @Override
    public long getAndAddLong(long offset, long delta) {
        beforeAdd.run();
        adds.add(new Add(offset, delta));
        return watched.getAndAddLong(offset, delta);
    }

    @Override
    public boolean compareAndSetLong(long offset, long expected, long value) {
        return watched.compareAndSetLong(offset, expected, value);
    }

    @Override
    public AtomicBuffer buffer(long offset, int bytes) {
        return watched.buffer(offset, bytes);
    }

    @Override
    public void wrap(UnsafeBuffer view, long offset, int bytes) {
        watched.wrap(view, offset, bytes);
    }

    @Override
    public long address(long offset, long bytes) {
        return watched.address(offset, bytes);
    }

    @Override
    protected void copyBulk(long offset, Memory target, long targetOffset, long bytes) {
        watched.copyBulk(offset, target, targetOffset, bytes);
    }
}
