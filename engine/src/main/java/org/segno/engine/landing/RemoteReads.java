package org.segno.engine.landing;

import org.segno.engine.counter.CounterAdmission;
import org.segno.engine.counter.CounterSettings;
import org.segno.engine.descriptor.AtomicFunction;
import org.segno.engine.fault.CrashPoint;
import org.segno.engine.memory.Memory;
import org.segno.engine.memory.NodeMemory;
import org.segno.status.Refusal;

/**
 * Reads and atomic changes that one origin makes in one target's memory, as the target's counters allow. Used by one
 * thread, that of the engine that lands.
 *
 * <p>Neither changes the counter. Its owner counts only landed bytes, and the origin counts its fetched bytes itself.
 */
public final class RemoteReads {
    /**
     * Maximum number of attempts to change a word that others change at the same time. Every failed attempt is a
     * success of another writer.
     */
    private static final int ATTEMPT_LIMIT = 64;

    private final Landing landing;
    private final CounterAdmission admission;
    private final int origin;
    private final Memory settings;
    private final Memory arena;
    private long openBase;
    private long openLimit;
    private long fetched;

    RemoteReads(Landing landing, CounterAdmission admission, int origin, NodeMemory target) {
        this.admission = admission;
        this.origin = origin;
        this.landing = landing;
        this.settings = target.owner();
        this.arena = target.arena();
    }

    /**
     * Opens a run of reads: checks that the counter exists, is enabled, has this incarnation, and lets the origin read.
     */
    public int open(int counter, int incarnation) {
        return open(counter, incarnation, CounterSettings.GET);
    }

    private int open(int counter, int incarnation, int right) {
        final int flags = admission.admit(counter, incarnation, origin, right);
        if (flags < 0) {
            return flags;
        }
        final long offset = admission.settingsAt(counter);
        openBase = CounterSettings.base(settings, offset);
        final long limit = CounterSettings.limit(settings, offset);
        // Validate the owner's settings against this process's mapping.
        openLimit = arena.contains(openBase, limit) ? limit : -1;
        if (CrashPoint.ON) {
            CrashPoint.LANDING_CHECKED.reached();
        }
        return Landing.LANDED;
    }

    /**
     * Returns true if the open counter covers {@code length} bytes at {@code offset}. The length must not be negative.
     */
    public boolean admits(long offset, long length) {
        return offset >= 0 && offset <= openLimit - length;
    }

    /** Copies bytes that the open counter {@link #admits} from its base and {@code offset}. */
    public void read(long offset, Memory target, long targetOffset, long length) {
        assert admits(offset, length);
        arena.copyTo(openBase + offset, target, targetOffset, length);
    }

    /**
     * Changes the aligned word at a counter's base and {@code offset} by a function of {@link AtomicFunction}.
     * {@link #fetched} is then its previous value. Returns {@link Landing#NO_ROOM} without a change if other writers
     * always won.
     */
    public int change(int function, int counter, int incarnation, long offset, long operand, long comparand) {
        final int opened = open(counter, incarnation, CounterSettings.ATOMIC);
        if (opened != Landing.LANDED) {
            return opened;
        }
        if (!admits(offset, Long.BYTES)) {
            return Refusal.TARGET_OUT_OF_BOUNDS.code();
        }
        final long word = openBase + offset;
        if ((word & (Long.BYTES - 1)) != 0) {
            return Refusal.MISALIGNED.code();
        }
        landing.arrivedAnywhere();
        if (function == AtomicFunction.FETCH_ADD) {
            fetched = arena.getAndAddLong(word, operand);
            return Landing.LANDED;
        }
        if (!AtomicFunction.isKnown(function)) {
            return Refusal.UNKNOWN_FUNCTION.code();
        }
        return replace(word, function, operand, comparand);
    }

    private int replace(long word, int function, long operand, long comparand) {
        for (int attempt = 0; attempt < ATTEMPT_LIMIT; attempt++) {
            final long before = arena.getLongAcquire(word);
            final boolean differs = function == AtomicFunction.COMPARE_AND_SET && before != comparand;
            if (differs || arena.compareAndSetLong(word, before, AtomicFunction.apply(function, before, operand))) {
                fetched = before;
                return Landing.LANDED;
            }
        }
        return Landing.NO_ROOM;
    }

    /** Returns the previous value of the word that was changed last. */
    public long fetched() {
        return fetched;
    }
}
