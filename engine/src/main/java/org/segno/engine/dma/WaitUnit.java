package org.segno.engine.dma;

import org.jspecify.annotations.Nullable;
import org.segno.engine.counter.CounterSettings;
import org.segno.engine.descriptor.Descriptor;
import org.segno.engine.landing.Landing;
import org.segno.engine.memory.Memory;
import org.segno.engine.memory.NodeMemory;
import org.segno.engine.memory.SeenEntry;
import org.segno.memory.InjectionCounter;
import org.segno.memory.MemoryAccess;
import org.segno.status.Refusal;

/**
 * Executor of WAITs. The descriptors after a WAIT are carried out once a counter of this node is at or below a value.
 * The condition is not equality, because an early message may take the counter past the value between two checks. Used
 * only by the engine's thread.
 *
 * <p>If the counter is above the value and one of its admitted sources has died, the counter and the WAIT fail, because
 * the missing data cannot arrive. If all of them have left, it may still arrive from this rank itself. The WAIT
 * therefore fails only when the context's client is being closed. It also fails if the application has given up the
 * round. A WAIT for an injection counter fails with the refusal of what was to count it down.
 *
 * <p>The WAITs of a run look at their counters a few more times in a visit before one holds. Peers that execute the
 * same collective reach their WAITs at about the same time: their data then arrive within these looks, whereas a round
 * that holds continues one pass later at the earliest. Before these looks, a COMBINE behind the WAIT is validated:
 * its data come out of another core's cache, which takes as long.
 */
final class WaitUnit {
    private final NodeMemory node;
    private final Memory memory;
    private final Memory values;
    private final Targets targets;
    private final Visit visit;
    private final CombineUnit combinations;
    private final boolean mayLook;
    private int refusedBy;
    private long next;
    private long prepared;
    private long preparedRound;

    /** Creates the executor; {@code mayLook} unless what the engine has executed goes out at the end of its pass. */
    WaitUnit(NodeMemory node, Targets targets, Visit visit, CombineUnit combinations, boolean mayLook) {
        this.node = node;
        this.memory = node.owner();
        this.values = node.values();
        this.targets = targets;
        this.visit = visit;
        this.combinations = combinations;
        this.mayLook = mayLook;
    }

    /**
     * Returns the rank that caused the refusal of a WAIT: the dead or failed rank, otherwise this one. A WAIT itself
     * has no rank.
     */
    int refusedBy() {
        return refusedBy;
    }

    /**
     * Carries out the WAIT in a slot.
     *
     * @param following slot of the next descriptor, or a value below zero if this one is the last
     */
    int hold(long slot, long head, long following) {
        refusedBy = node.rank();
        next = following;
        final long target = memory.getLong(slot + Descriptor.TARGET_OFFSET);
        final long limit = memory.getLong(slot + Descriptor.TARGET_OFFSET_OFFSET);
        if (Descriptor.hasExactly(head, Descriptor.ALTERNATE | Descriptor.CUMULATIVE)) {
            final long bytes = memory.getLong(slot + Descriptor.LENGTH_OFFSET);
            return waitForCounter(
                    target,
                    head,
                    Descriptor.cumulativeLimit(limit, bytes, visit.fifo().generation()));
        }
        if (Descriptor.hasExactly(head, Descriptor.INJECTION)) {
            final int counter = Descriptor.counter(target);
            if (counter < 0 || !targets.isInjectionCounter(counter)) {
                return Refusal.NO_SUCH_COUNTER.code();
            }
            return waitForRead(node.injectionValueOffset(counter), limit);
        }
        if (!Descriptor.hasOnly(head, Descriptor.ALTERNATE)) {
            return Refusal.UNKNOWN_OPERATION.code();
        }
        return waitForCounter(target, head, limit);
    }

    /** Waits for an injection counter, unless what counts it down was refused, or the round is given up. */
    private int waitForRead(long counted, long limit) {
        final int result = waitFor(counted, limit);
        if (result != Visit.HELD || visit.hasStayed) {
            return result;
        }
        final long error = MemoryAccess.errorAcquire(values, counted);
        final int reason = error == 0 ? givenUp() : InjectionCounter.code(error);
        if (error != 0) {
            refusedBy = InjectionCounter.rank(error);
        }
        return reason != Visit.HELD && values.getLongAcquire(counted) <= limit ? Landing.LANDED : reason;
    }

    /**
     * Returns the WAIT in a slot as validated. Null if it is refused, or does not wait for a reception counter without
     * an error on underflow.
     */
    @Nullable
    Decoded decode(long slot, long head) {
        final long target = memory.getLong(slot + Descriptor.TARGET_OFFSET);
        final boolean isCumulative = Descriptor.hasExactly(head, Descriptor.ALTERNATE | Descriptor.CUMULATIVE);
        final int counter = visit.counter(head, target);
        if ((!isCumulative && !Descriptor.hasOnly(head, Descriptor.ALTERNATE))
                || counter < 0
                || counter >= node.layout().dimensions().receptionCounters()) {
            return null;
        }
        final long offset = node.counterSettingsOffset(counter);
        final SeenEntry settings = SeenEntry.ofWord(memory, offset);
        final long state = CounterSettings.stateAcquire(memory, offset);
        if (CounterSettings.incarnation(state) != Descriptor.incarnation(target)
                || CounterSettings.has(CounterSettings.flags(state), CounterSettings.NO_UNDERFLOW)) {
            return null;
        }
        final long limit = memory.getLong(slot + Descriptor.TARGET_OFFSET_OFFSET);
        final long bytes = isCumulative ? memory.getLong(slot + Descriptor.LENGTH_OFFSET) : 0;
        return new DecodedWait(
                settings, this, new DecodedWait.Condition(node.receptionValueOffset(counter), offset, limit, bytes));
    }

    /** Carries out a WAIT that was decoded. */
    int holdAgain(DecodedWait.Condition condition) {
        final long limit = Descriptor.cumulativeLimit(
                condition.limit(), condition.bytes(), visit.fifo().generation());
        final long value = condition.valueOffset();
        next = -1;
        return waitFor(value, limit, condition.settings());
    }

    private int waitForCounter(long target, long head, long limit) {
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
        final int result = waitFor(value, limit, settings);
        return CounterSettings.has(CounterSettings.flags(state), CounterSettings.NO_UNDERFLOW)
                        && MemoryAccess.errorAcquire(values, value) != 0
                ? Refusal.UNDERFLOW.code()
                : result;
    }

    /** Waits for a counter that has these settings, unless those that may count it down are gone. */
    private int waitFor(long value, long limit, long settings) {
        final int result = waitFor(value, limit);
        // A run stays at its WAIT only for a short while. Whether the wait can end is asked before, and when it is set
        // aside.
        return result == Visit.HELD && !visit.hasStayed
                ? orLost(value, limit, CounterSettings.sources(memory, settings))
                : result;
    }

    /** Returns the reason why a held WAIT cannot end, or that it is held or over. */
    private int orLost(long value, long limit, int sources) {
        final int reason = reason(sources);
        // The word once more: the last bytes may have arrived before the rank that sent them died, left or failed.
        return reason != Visit.HELD && values.getLongAcquire(value) <= limit ? Landing.LANDED : reason;
    }

    private int givenUp() {
        final int failed = visit.fifo().givenUpFor();
        if (failed >= 0) {
            refusedBy = failed;
            return Refusal.ROUND_FAILED.code();
        }
        return Visit.HELD;
    }

    private int reason(int sources) {
        if (givenUp() != Visit.HELD) {
            return Refusal.ROUND_FAILED.code();
        }
        final int dead = targets.dead(sources);
        if (dead >= 0) {
            refusedBy = dead;
            return Refusal.PEER_DEAD.code();
        }
        return visit.isClosing() && targets.haveLeft(sources) ? Refusal.SENDERS_LEFT.code() : Visit.HELD;
    }

    private int waitFor(long valueOffset, long limit) {
        if (values.getLongAcquire(valueOffset) <= limit) {
            return Landing.LANDED;
        }
        if (mayLook && visit.looks != 0 && look(valueOffset, limit)) {
            return Landing.LANDED;
        }
        visit.held(valueOffset, limit);
        return Visit.HELD;
    }

    private boolean look(long valueOffset, long limit) {
        final long round = visit.fifo().generation();
        if (next >= 0 && (next != prepared || round != preparedRound)) {
            // Once a round: in later visits it would only delay the looks.
            prepared = next;
            preparedRound = round;
            combinations.prepare(next);
        }
        do {
            if (values.getLongAcquire(valueOffset) <= limit) {
                return true;
            }
            visit.looks--;
            Thread.onSpinWait();
        } while (visit.looks != 0);
        return values.getLongAcquire(valueOffset) <= limit;
    }
}
