package org.segno.dma;

import org.segno.descriptor.Descriptor;
import org.segno.fault.CrashPoint;
import org.segno.landing.Landing;
import org.segno.memory.Memory;
import org.segno.memory.NodeMemory;
import org.segno.memory.WindowArena;
import org.segno.memory.WindowTable;
import org.segno.status.Refusal;

/**
 * Executor of RMWs. The word's old value is stored to the result's place, then the injection counter is counted down by
 * {@link Long#BYTES}, with or without a result. The target's counter grants the right and counts nothing. Used only by
 * the engine's thread.
 */
final class RmwUnit {
    private final Memory memory;
    private final Memory arena;
    private final WindowTable windows;
    private final Targets targets;
    private final Visit visit;

    RmwUnit(NodeMemory node, WindowTable windows, Targets targets, Visit visit) {
        this.memory = node.owner();
        this.arena = node.arena();
        this.windows = windows;
        this.targets = targets;
        this.visit = visit;
    }

    int execute(long slot, long head) {
        final int rank = (int) (head >>> 32);
        final int flags = (int) (head >>> 8) & 0xFF;
        final Landing landing = targets.landing(rank);
        if (landing == null) {
            return targets.missing(rank);
        }
        if ((flags & ~Descriptor.ALTERNATE) != 0) {
            return Refusal.UNKNOWN_OPERATION.code();
        }
        final long source = memory.getLong(slot + Descriptor.SOURCE_WINDOW_OFFSET);
        final int resultWindow = (int) source;
        final int injectionCounter = (int) (source >>> 32);
        final long resultOffset = memory.getLong(slot + Descriptor.SOURCE_OFFSET_OFFSET);
        // Check before the word is changed: an old value without a place could not be recovered.
        final int result = checkResult(windows, resultWindow, resultOffset);
        if (result != Landing.LANDED) {
            return result;
        }
        final long resultBase = windows.base();
        if (!targets.isInjectionCounter(injectionCounter)) {
            return Refusal.NO_SUCH_COUNTER.code();
        }
        final long target = memory.getLong(slot + Descriptor.TARGET_OFFSET);
        final int changed = landing.fetching()
                .change(
                        memory.getByte(slot + Descriptor.LENGTH_OFFSET),
                        (int) target + visit.alternation(flags),
                        (int) (target >>> 32),
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
            arena.putLong(resultBase + resultOffset, landing.fetching().fetched());
        }
        visit.moved(Long.BYTES);
        targets.injected(injectionCounter, Long.BYTES);
        return Landing.LANDED;
    }

    static int checkResult(WindowTable windows, int window, long offset) {
        if (window == Descriptor.NO_WINDOW) {
            return Landing.LANDED;
        }
        final long length = windows.open(window);
        if (length == WindowArena.NO_WINDOW) {
            return Refusal.NO_SUCH_WINDOW.code();
        }
        if (offset < 0 || offset > length - Long.BYTES) {
            return Refusal.SOURCE_OUT_OF_BOUNDS.code();
        }
        // Windows begin at multiples of it.
        return (offset & (Long.BYTES - 1)) == 0 ? Landing.LANDED : Refusal.MISALIGNED.code();
    }
}
