package org.segno.engine.memory;

/**
 * View of memory that a transport has mapped, which moves from one frame to the next without an allocation. So the
 * engine reads and writes frames where the transport keeps them. Used by one thread.
 *
 * <p>The transport keeps the bytes mapped while the view is there. With assertions enabled, each access is checked
 * against the bytes of the last move.
 */
public final class MemoryView {
    private final MappedMemory memory;

    /** Creates a view that is nowhere until it is moved. Its memory has {@code limit} bytes, the longest frame. */
    public MemoryView(int limit) {
        this.memory = MappedMemory.ofView(limit);
    }

    /** Returns the memory under the view, always the same object. Offset 0 is the address of the last move. */
    public Memory memory() {
        return memory;
    }

    /** Moves the view to {@code bytes} bytes at an address, at most the limit. */
    public void move(long address, int bytes) {
        memory.move(address, bytes);
    }
}
