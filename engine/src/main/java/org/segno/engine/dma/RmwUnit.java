package org.segno.engine.dma;

import org.segno.engine.descriptor.Descriptor;
import org.segno.engine.fault.CrashPoint;
import org.segno.engine.landing.Landing;
import org.segno.engine.memory.Memory;
import org.segno.engine.memory.NodeMemory;
import org.segno.engine.memory.WindowTable;
import org.segno.status.Refusal;

/**
 * Executor of RMWs. The word's old value is stored to the result's place, then the injection counter is counted down by
 * {@link Long#BYTES}, with or without a result. The target's counter grants the right and counts nothing. Used only by
 * the engine's thread.
 */
final class RmwUnit {
    private final Memory memory;
    private final Memory arena;
    private final LocalOperand result;
    private final Targets targets;
    private final Visit visit;

    RmwUnit(NodeMemory node, WindowTable windows, Targets targets, Visit visit) {
        this.memory = node.owner();
        this.arena = node.arena();
        this.result = new LocalOperand(node, windows, visit);
        this.targets = targets;
        this.visit = visit;
    }

    /** Carries out a lone RMW, which no other descriptor precedes, if that is possible. Otherwise does nothing. */
    boolean tryOne(long slot) {
        return execute(slot, memory.getLong(slot)) == Landing.LANDED;
    }

    int execute(long slot, long head) {
        final int rank = Descriptor.rank(head);
        final Landing landing = targets.landing(rank);
        if (landing == null) {
            return targets.missing(rank);
        }
        if (!Descriptor.hasOnly(head, Descriptor.ALTERNATE)) {
            return Refusal.UNKNOWN_OPERATION.code();
        }
        final long source = memory.getLong(slot + Descriptor.SOURCE_OPERAND_OFFSET);
        final int resultWindow = Descriptor.window(source);
        final int injectionCounter = Descriptor.injectionCounter(source);
        final long resultOffset = memory.getLong(slot + Descriptor.SOURCE_OFFSET_OFFSET);
        // Check before the word is changed: an old value without a place could not be recovered.
        final int checked = checkResult(result, resultWindow, resultOffset);
        if (checked != Landing.LANDED) {
            return checked;
        }
        if (!targets.isInjectionCounter(injectionCounter)) {
            return Refusal.NO_SUCH_COUNTER.code();
        }
        final long target = memory.getLong(slot + Descriptor.TARGET_OFFSET);
        final int changed = landing.fetching()
                .change(
                        memory.getByte(slot + Descriptor.LENGTH_OFFSET),
                        visit.counter(head, target),
                        Descriptor.incarnation(target),
                        memory.getLong(slot + Descriptor.TARGET_OFFSET_OFFSET),
                        memory.getLong(slot + Descriptor.OPERAND_OFFSET),
                        memory.getLong(slot + Descriptor.COMPARAND_OFFSET));
        if (changed != Landing.LANDED) {
            return changed;
        }
        if (CrashPoint.ON) {
            CrashPoint.WORD_CHANGED.reached();
        }
        if (resultWindow != Descriptor.NO_WINDOW) {
            arena.putLong(result.base() + resultOffset, landing.fetching().fetched());
        }
        visit.moved(Long.BYTES);
        targets.injected(injectionCounter, Long.BYTES);
        return Landing.LANDED;
    }

    /** Opens the window of a result and checks its place, unless it has none. */
    static int checkResult(LocalOperand result, int window, long offset) {
        if (window == Descriptor.NO_WINDOW) {
            return Landing.LANDED;
        }
        final int opened = result.open(window, offset, Long.BYTES);
        // Windows begin at multiples of it.
        return opened == Landing.LANDED && offset % Long.BYTES != 0 ? Refusal.MISALIGNED.code() : opened;
    }
}
