package org.segno.engine.landing;

import org.segno.engine.memory.Memory;
import org.segno.engine.memory.SeenEntry;

/**
 * A counter that has admitted changes by an origin, and that has neither events nor an error on underflow. It is used
 * only while {@link #isUnchanged}: then everything that was checked still holds. Used by the thread of one engine.
 */
public final class AdmittedCounter {
    private final Landing landing;
    private final SeenEntry settings;
    private final int counter;

    /** Creates it after the check of {@code counter}; {@code settings} were read before that check. */
    AdmittedCounter(Landing landing, SeenEntry settings, int counter) {
        this.landing = landing;
        this.settings = settings;
        this.counter = counter;
    }

    /** Returns true if the counter admits what it has admitted, and its rank is in the job. */
    public boolean isUnchanged() {
        return !landing.isTargetGone() && settings.isUnchanged();
    }

    /**
     * Lands bytes and counts them down.
     *
     * @param at offset in the target's arena, where the range that was checked admits them
     */
    public void land(Memory source, long sourceAt, long at, long length) {
        landing.landAgain(source, sourceAt, at, length, counter);
    }

    /** Changes the value by a signed amount. */
    public void count(long amount) {
        landing.countAgain(counter, amount);
    }
}
