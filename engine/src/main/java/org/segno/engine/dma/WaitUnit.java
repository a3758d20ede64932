package org.segno.engine.dma;

import org.segno.engine.counter.CounterSettings;
import org.segno.engine.descriptor.Descriptor;
import org.segno.engine.landing.Landing;
import org.segno.engine.memory.Memory;
import org.segno.engine.memory.NodeMemory;
import org.segno.memory.MemoryAccess;
import org.segno.status.Refusal;

/**
 * Executor of WAITs. The descriptors after a WAIT are carried out once a counter of this node is at or below a value.
 * The condition is not equality, because an early message may take the counter past the value between two checks. Used
 * only by the engine's thread.
 *
 * <p>If the counter is above the value and one of its admitted sources has died, the counter and the WAIT fail, because
 * the missing data cannot arrive. If all of them have left, it may still arrive from this rank itself. The WAIT
 * therefore fails only when the context's client is being closed.
 *
 * <p>The WAITs of a visit look at their counters a few more times before one holds. Peers that execute the same
 * collective reach their WAITs at about the same time: their data then arrive within these looks, whereas a round that
 * is set aside continues one pass later at the earliest.
 */
final class WaitUnit {
    private final NodeMemory node;
    private final Memory memory;
    private final Memory values;
    private final Targets targets;
    private final Visit visit;
    private final boolean mayLook;
    private int refusedBy;

    /** Creates the executor; {@code mayLook} unless what the engine has executed goes out at the end of its pass. */
    WaitUnit(NodeMemory node, Targets targets, Visit visit, boolean mayLook) {
        this.node = node;
        this.memory = node.owner();
        this.values = node.values();
        this.targets = targets;
        this.visit = visit;
        this.mayLook = mayLook;
    }

    /**
     * Returns the rank that caused the refusal of a WAIT: the dead rank, otherwise this one. A WAIT itself has no rank.
     */
    int refusedBy() {
        return refusedBy;
    }

    int hold(long slot, long head) {
        refusedBy = node.rank();
        final long target = memory.getLong(slot + Descriptor.TARGET_OFFSET);
        final long limit = memory.getLong(slot + Descriptor.TARGET_OFFSET_OFFSET);
        if (Descriptor.hasExactly(head, Descriptor.INJECTION)) {
            final int counter = Descriptor.counter(target);
            if (counter < 0 || !targets.isInjectionCounter(counter)) {
                return Refusal.NO_SUCH_COUNTER.code();
            }
            return waitFor(node.injectionValueOffset(counter), limit);
        }
        if (!Descriptor.hasOnly(head, Descriptor.ALTERNATE)) {
            return Refusal.UNKNOWN_OPERATION.code();
        }
        final int counter = visit.counter(head, target);
        if (counter < 0 || counter >= node.layout().dimensions().receptionCounters()) {
            return Refusal.NO_SUCH_COUNTER.code();
        }
        final long settings = node.counterSettingsOffset(counter);
        final long state = CounterSettings.stateAcquire(memory, settings);
        if (CounterSettings.incarnation(state) != Descriptor.incarnation(target)) {
            return Refusal.STALE_COUNTER.code();
        }
        final long value = node.receptionValueOffset(counter);
        final int result = waitFor(value, limit);
        if (CounterSettings.has(CounterSettings.flags(state), CounterSettings.NO_UNDERFLOW)
                && MemoryAccess.errorAcquire(values, value) != 0) {
            return Refusal.UNDERFLOW.code();
        }
        return result == Visit.HELD ? orLost(value, limit, CounterSettings.sources(memory, settings)) : result;
    }

    /** Returns the reason why a held WAIT cannot end, or that it is held. */
    private int orLost(long value, long limit, int sources) {
        final int dead = targets.dead(sources);
        if (dead >= 0) {
            refusedBy = dead;
            return Refusal.PEER_DEAD.code();
        }
        // The word once more, because the bytes of a rank that has left arrived before.
        return visit.isClosing() && targets.haveLeft(sources) && values.getLongAcquire(value) > limit
                ? Refusal.SENDERS_LEFT.code()
                : Visit.HELD;
    }

    private int waitFor(long valueOffset, long limit) {
        while (values.getLongAcquire(valueOffset) > limit) {
            if (!mayLook || visit.looks == 0) {
                visit.held(valueOffset, limit);
                return Visit.HELD;
            }
            visit.looks--;
            Thread.onSpinWait();
        }
        return Landing.LANDED;
    }
}
