package org.segno.engine.memory;

import java.nio.MappedByteBuffer;
import java.util.ArrayList;
import java.util.List;

/** Mapped memory that notes every atomic add before it is made: many may happen between two checks of a test. */
public final class WatchedMemory extends MappedMemory {
    /** Owner of the mapping. */
    private final Memory watched;

    private final List<Add> adds = new ArrayList<>();
    private Runnable beforeAdd = () -> {};

    public WatchedMemory(Memory watched) {
        super(new MappedByteBuffer[0], watched.length());
        this.watched = watched;
        move(watched.address(0, watched.length()), (int) watched.length());
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
    public long getAndAddLong(long offset, long delta) {
        beforeAdd.run();
        adds.add(new Add(offset, delta));
        return watched.getAndAddLong(offset, delta);
    }
}
