package org.segno.engine.dma;

import org.segno.engine.landing.AdmittedCounter;

/** A COUNT, or the ARM of a reception counter, as validated. */
final class DecodedCount extends Decoded {
    private final AdmittedCounter target;
    private final long amount;

    DecodedCount(AdmittedCounter target, long amount) {
        this.target = target;
        this.amount = amount;
    }

    @Override
    int execute(Visit visit) {
        if (!target.isUnchanged()) {
            return CHANGED;
        }
        target.count(amount);
        return DONE;
    }
}
