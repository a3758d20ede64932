package org.segno.engine.dma;

import org.segno.engine.landing.AdmittedCounter;
import org.segno.engine.memory.Memory;
import org.segno.engine.memory.SeenEntry;

/** A lone PUT as validated. */
final class DecodedPut extends Decoded {
    private final Memory arena;
    private final long sourceAt;
    private final long length;
    private final SeenEntry source;
    private final AdmittedCounter target;
    private final long targetAt;
    private final Targets targets;
    private final int injectionCounter;

    /** Bytes in the arena of this node. */
    record Source(Memory arena, long at, long length, SeenEntry seen) {}

    /** Place in the arena of the target, under a counter there. */
    record Target(AdmittedCounter counter, long at) {}

    DecodedPut(Source from, Target to, Targets targets, int injectionCounter) {
        this.arena = from.arena();
        this.sourceAt = from.at();
        this.length = from.length();
        this.source = from.seen();
        this.target = to.counter();
        this.targetAt = to.at();
        this.targets = targets;
        this.injectionCounter = injectionCounter;
    }

    @Override
    int execute(Visit visit) {
        if (!target.isUnchanged() || !source.isUnchanged()) {
            return CHANGED;
        }
        if (length > visit.quantumBytes) {
            return REMAINS;
        }
        target.land(arena, sourceAt, targetAt, length);
        targets.injected(injectionCounter, length);
        visit.moved(length);
        return DONE;
    }
}
