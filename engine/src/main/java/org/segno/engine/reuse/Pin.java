package org.segno.engine.reuse;

import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;

/** Hold of a recording, and then of its pattern, on the windows and counters that it uses. Usable from any thread. */
public final class Pin {
    private final String holder;
    private volatile @Nullable BooleanSupplier finished;

    /** Creates the pin of a recording. The text {@code holder} names it in messages. */
    public Pin(String holder) {
        this.holder = holder;
    }

    /**
     * Releases the pin: the holder accepts no further replays, and its queued work is done once {@code carriedOut}
     * returns true. May be called again with another condition.
     */
    public void release(BooleanSupplier carriedOut) {
        finished = carriedOut;
    }

    /** Returns true while the holder can be replayed or is still recording. */
    boolean isHeld() {
        return finished == null;
    }

    /** Returns true once the engine has completed all work of the holder. */
    boolean isFinished() {
        final BooleanSupplier carriedOut = finished;
        return carriedOut != null && carriedOut.getAsBoolean();
    }

    @Override
    public String toString() {
        return holder;
    }
}
