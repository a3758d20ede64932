package org.segno.engine.dma;

import org.segno.engine.landing.Landing;
import org.segno.engine.memory.SeenEntry;

/** A WAIT for a reception counter as validated. */
final class DecodedWait extends Decoded {
    private final SeenEntry settings;
    private final WaitUnit unit;
    private final Condition condition;

    /**
     * The value at or below which the wait ends.
     *
     * @param bytes by which it falls in each round
     */
    record Condition(long valueOffset, long settings, long limit, long bytes) {}

    DecodedWait(SeenEntry settings, WaitUnit unit, Condition condition) {
        this.settings = settings;
        this.unit = unit;
        this.condition = condition;
    }

    @Override
    int execute(Visit visit) {
        if (!settings.isUnchanged()) {
            return CHANGED;
        }
        final int result = unit.holdAgain(condition);
        if (result == Visit.HELD) {
            visit.result = result;
        }
        return result == Landing.LANDED ? DONE : REMAINS;
    }
}
