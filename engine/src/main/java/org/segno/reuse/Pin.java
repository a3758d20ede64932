package org.segno.reuse;

import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;

/** What a recording, and then its pattern, holds of the windows and counters that it names. Any thread. */
public final class Pin {
    private final String holder;
    private volatile @Nullable BooleanSupplier finished;

    /** Made by a recording; {@code holder} names it in messages. */
    public Pin(String holder) {
        this.holder = holder;
    }

    /** The holder takes no more replays; what it has queued is done once {@code carriedOut} says so. May be called again with another. */
    public void release(BooleanSupplier carriedOut) {
        finished = carriedOut;
    }

    /** True while the holder can be replayed or goes on to record. */
    boolean isHeld() {
        return finished == null;
    }

    /** True once the engine is done with everything that the holder had it do. */
    boolean isFinished() {
        final BooleanSupplier carriedOut = finished;
        return carriedOut != null && carriedOut.getAsBoolean();
    }

    @Override
    public String toString() {
        return holder;
    }
}
