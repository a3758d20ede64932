package org.segno.dma;

import org.segno.counter.CounterSettings;
import org.segno.descriptor.Descriptor;
import org.segno.landing.Landing;
import org.segno.memory.Memory;
import org.segno.memory.NodeMemory;
import org.segno.status.Refusal;

/**
 * Carries out WAITs: what stands behind one is carried out once a counter of this node is at or below a value. At or below and never
 * equal: an early message may take the counter past the value between two looks. One thread, the engine's.
 *
 * <p>A counter above the value that admits a rank which has died is failed, and so is the WAIT: what it waits for cannot come.
 */
final class WaitUnit {
    private final NodeMemory node;
    private final Memory memory;
    private final Memory values;
    private final Targets targets;
    private final Visit visit;
    private int refusedBy;

    WaitUnit(NodeMemory node, Targets targets, Visit visit) {
        this.node = node;
        this.memory = node.owner();
        this.values = node.peers();
        this.targets = targets;
        this.visit = visit;
    }

    /** Whose fault it was that a WAIT was refused: the rank that died, else this one. A WAIT itself names none. */
    int refusedBy() {
        return refusedBy;
    }

    int hold(long slot, long head) {
        refusedBy = node.rank();
        final int flags = (int) (head >>> 8) & 0xFF;
        final long target = memory.getLong(slot + Descriptor.TARGET_OFFSET);
        final long limit = memory.getLong(slot + Descriptor.TARGET_OFFSET_OFFSET);
        if (flags == Descriptor.INJECTION) {
            final int counter = (int) target;
            if (counter < 0 || !targets.isInjectionCounter(counter)) {
                return Refusal.NO_SUCH_COUNTER.code();
            }
            return waitFor(node.injectionValueOffset(counter), limit);
        }
        if ((flags & ~Descriptor.ALTERNATE) != 0) {
            return Refusal.UNKNOWN_OPERATION.code();
        }
        final int counter = (int) target + visit.alternation(flags);
        if (counter < 0 || counter >= node.layout().dimensions().receptionCounters()) {
            return Refusal.NO_SUCH_COUNTER.code();
        }
        final long settings = node.counterSettingsOffset(counter);
        final long state = CounterSettings.stateAcquire(memory, settings);
        if (CounterSettings.incarnation(state) != (int) (target >>> 32)) {
            return Refusal.STALE_COUNTER.code();
        }
        final int answer = waitFor(node.receptionValueOffset(counter), limit);
        final int dead = answer == Visit.HELD ? targets.dead(CounterSettings.sources(memory, settings)) : -1;
        if (dead < 0) {
            return answer;
        }
        refusedBy = dead;
        return Refusal.PEER_DEAD.code();
    }

    private int waitFor(long valueOffset, long limit) {
        if (values.getLongAcquire(valueOffset) <= limit) {
            return Landing.LANDED;
        }
        visit.held(valueOffset, limit);
        return Visit.HELD;
    }
}
