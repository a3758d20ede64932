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
 *
 * <p>The accessors have no assertions, whose bytecode counts even where they are disabled: a loop of the engine has so
 * many accesses that the compiler would reach its limits of depth and size, and call the rest.
 */
public class MappedMemory extends Memory {
    private static final boolean CHECKED = MappedMemory.class.desiredAssertionStatus();

    private final MappedByteBuffer[] segments;

    /** Constant, except for the memory of a {@link MemoryView}. */
    private long address;

    /**
     * Returns the memory of a mapping. With assertions enabled, each access checks its bounds: see
     * {@link CheckedMemory}.
     */
    public static MappedMemory of(MappedByteBuffer mapping) {
        return of(new MappedByteBuffer[] {mapping}, mapping.capacity());
    }

    /** Returns a range of adjacent segments of equal lengths, except for the last: {@link ContiguousMapping}. */
    static MappedMemory of(MappedByteBuffer[] segments, long length) {
        return CHECKED ? new CheckedMemory(segments, length) : new MappedMemory(segments, length);
    }

    MappedMemory(MappedByteBuffer[] segments, long length) {
        super(length);
        this.segments = segments;
        this.address = segments.length == 0 ? 0 : BufferUtil.address(segments[0]);
    }

    /** Moves the memory of a view to {@code bytes} bytes that others have mapped. */
    void move(long newAddress, int bytes) {
        assert segments.length == 0 && contains(0, bytes) : "bytes=" + bytes + " of " + length();
        this.address = newAddress;
    }

    /** Returns the memory of a view, which has no mapping of its own and is nowhere until it is moved. */
    static MappedMemory ofView(long length) {
        final MappedByteBuffer[] none = {};
        return CHECKED ? new CheckedMemory(none, length) : new MappedMemory(none, length);
    }

    /** Returns zeroed off-heap memory that is private to this process and has no file. */
    public static MappedMemory ofProcess(int bytes) {
        return of((MappedByteBuffer) ByteBuffer.allocateDirect(bytes));
    }

    @Override
    public byte getByte(long offset) {
        return UnsafeApi.getByte(address + offset);
    }

    @Override
    public void putByte(long offset, byte value) {
        UnsafeApi.putByte(address + offset, value);
    }

    @Override
    public short getShort(long offset) {
        return UnsafeApi.getShort(address + offset);
    }

    @Override
    public void putShort(long offset, short value) {
        UnsafeApi.putShort(address + offset, value);
    }

    @Override
    public int getInt(long offset) {
        return UnsafeApi.getInt(address + offset);
    }

    @Override
    public void putInt(long offset, int value) {
        UnsafeApi.putInt(address + offset, value);
    }

    @Override
    public long getLong(long offset) {
        return UnsafeApi.getLong(address + offset);
    }

    @Override
    public void putLong(long offset, long value) {
        UnsafeApi.putLong(address + offset, value);
    }

    @Override
    public long getLongAcquire(long offset) {
        return UnsafeApi.getLongAcquire(null, address + offset);
    }

    @Override
    public void putLongRelease(long offset, long value) {
        UnsafeApi.putLongRelease(null, address + offset, value);
    }

    @Override
    public long getAndAddLong(long offset, long delta) {
        return UnsafeApi.getAndAddLong(null, address + offset, delta);
    }

    @Override
    public boolean compareAndSetLong(long offset, long expected, long value) {
        return UnsafeApi.compareAndSetLong(null, address + offset, expected, value);
    }

    @Override
    public AtomicBuffer buffer(long offset, int bytes) {
        if (!contains(offset, bytes)) {
            throw new IndexOutOfBoundsException(
                    "offset=" + offset + " length=" + bytes + " of " + length() + " mapped bytes");
        }
        if (segments.length == 0) {
            return new UnsafeBuffer(address + offset, bytes);
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
    public long address(long offset, long bytes) {
        assert contains(offset, bytes) : "offset=" + offset + " bytes=" + bytes + " of " + length() + " mapped bytes";
        return address + offset;
    }

    @Override
    protected void copyBulk(long offset, Memory target, long targetOffset, long bytes) {
        assert contains(offset, bytes) && target.contains(targetOffset, bytes)
                : offset + " " + targetOffset + " " + bytes;
        UnsafeApi.copyMemory(address + offset, ((MappedMemory) target).address + targetOffset, bytes);
    }
}
