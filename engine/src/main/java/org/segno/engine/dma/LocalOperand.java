package org.segno.engine.dma;

import org.jspecify.annotations.Nullable;
import org.segno.engine.counter.CounterSettings;
import org.segno.engine.descriptor.Descriptor;
import org.segno.engine.landing.Landing;
import org.segno.engine.memory.NodeMemory;
import org.segno.engine.memory.SeenEntry;
import org.segno.engine.memory.WindowTable;
import org.segno.status.Refusal;

/**
 * Local memory in which a descriptor has a range: its source, its metadata or, for REMOTE_GET, RMW, COPY and COMBINE,
 * its target. It is a window, or the range of a reception counter. This class contains the only check of such a range.
 * Used only by the engine's thread.
 */
final class LocalOperand {
    private final NodeMemory node;
    private final WindowTable windows;
    private final Visit visit;
    private final int counters;
    private long base;
    private long length = WindowTable.NO_WINDOW;

    LocalOperand(NodeMemory node, WindowTable windows, Visit visit) {
        this.node = node;
        this.windows = windows;
        this.visit = visit;
        this.counters = node.layout().dimensions().receptionCounters();
    }

    /** Opens the source operand of a PUT, SEND, MULTICAST, COPY or COMBINE. */
    int openSource(long head, int operand) {
        return open(head, operand, Descriptor.SOURCE_COUNTER, Descriptor.ALTERNATE_SOURCE);
    }

    /** Opens the source operand in a source word, and checks a range of it and the injection counter. */
    int checkSource(Targets targets, long head, long source, long offset, long bytes) {
        final int opened = openSource(head, Descriptor.window(source));
        final int checked = opened == Landing.LANDED ? check(offset, bytes) : opened;
        return checked != Landing.LANDED || targets.isInjectionCounter(Descriptor.injectionCounter(source))
                ? checked
                : Refusal.NO_SUCH_COUNTER.code();
    }

    /** Opens the metadata operand of a SEND or MULTICAST. */
    int openMetadata(long head, int operand) {
        return open(head, operand, Descriptor.METADATA_COUNTER, Descriptor.ALTERNATE_METADATA);
    }

    /** Opens the third operand of a COMBINE. */
    int openThird(long head, int operand) {
        return open(head, operand, Descriptor.THIRD_COUNTER, Descriptor.ALTERNATE_THIRD);
    }

    /** Opens the target operand of a COPY or a COMBINE. */
    int openTarget(long head, int operand) {
        return open(head, operand, Descriptor.TARGET_COUNTER, Descriptor.ALTERNATE);
    }

    private int open(long head, int operand, int counterFlag, int alternateFlag) {
        if (Descriptor.has(head, counterFlag)) {
            return openCounter(operand, visit.alternate(head, alternateFlag));
        }
        // A window does not alternate.
        return Descriptor.has(head, alternateFlag) ? Refusal.UNKNOWN_OPERATION.code() : open(operand);
    }

    /** Returns the present settings of the source operand of a PUT, COPY or COMBINE, or null for an impossible id. */
    @Nullable
    SeenEntry seenSource(long head, int operand) {
        return seen(head, operand, Descriptor.SOURCE_COUNTER, Descriptor.ALTERNATE_SOURCE);
    }

    /** Returns the present settings of the third operand of a COMBINE, or null for an impossible id. */
    @Nullable
    SeenEntry seenThird(long head, int operand) {
        return seen(head, operand, Descriptor.THIRD_COUNTER, Descriptor.ALTERNATE_THIRD);
    }

    /** Returns the present settings of the target operand of a COPY or COMBINE, or null for an impossible id. */
    @Nullable
    SeenEntry seenTarget(long head, int operand) {
        return seen(head, operand, Descriptor.TARGET_COUNTER, Descriptor.ALTERNATE);
    }

    private @Nullable SeenEntry seen(long head, int operand, int counterFlag, int alternateFlag) {
        if (!Descriptor.has(head, counterFlag)) {
            return windows.seen(operand);
        }
        final int counter = Descriptor.operandCounter(operand) + visit.alternate(head, alternateFlag);
        return counter >= counters ? null : SeenEntry.ofWord(node.owner(), node.counterSettingsOffset(counter));
    }

    /**
     * Opens the range of a reception counter of this node. Its sources and rights do not matter, because they concern
     * peers.
     *
     * @param operand the counter as {@link Descriptor#operand} names it
     * @param alternate added to the counter
     * @return {@link Landing#LANDED}, or the code of the reason for which the counter cannot be used
     */
    private int openCounter(int operand, int alternate) {
        length = WindowTable.NO_WINDOW;
        final int counter = Descriptor.operandCounter(operand) + alternate;
        if (counter >= counters) {
            return Refusal.NO_SUCH_COUNTER.code();
        }
        final long settings = node.counterSettingsOffset(counter);
        final long state = CounterSettings.stateAcquire(node.owner(), settings);
        if (!Descriptor.isOperandOf(operand, CounterSettings.incarnation(state))) {
            return Refusal.STALE_COUNTER.code();
        }
        if (!CounterSettings.has(CounterSettings.flags(state), CounterSettings.ENABLED)) {
            return Refusal.COUNTER_DISABLED.code();
        }
        base = CounterSettings.base(node.owner(), settings);
        final long limit = CounterSettings.limit(node.owner(), settings);
        // A foreign process may have overwritten the settings: nothing outside the arena is accessed.
        length = node.arena().contains(base, limit) ? limit : WindowTable.NO_WINDOW;
        return Landing.LANDED;
    }

    /** Opens the window with an id. Returns {@link Landing#LANDED}, or the code for an id that is not a window. */
    int open(int window) {
        length = windows.open(window);
        base = windows.base();
        return length == WindowTable.NO_WINDOW ? Refusal.NO_SUCH_WINDOW.code() : Landing.LANDED;
    }

    /** Opens the window with an id and checks a range in it. */
    int open(int window, long offset, long bytes) {
        final int opened = open(window);
        return opened == Landing.LANDED ? check(offset, bytes) : opened;
    }

    /** Returns {@link Landing#LANDED} if the open operand covers a range, otherwise the code of the reason. */
    int check(long offset, long bytes) {
        if (bytes < 0) {
            return Refusal.BAD_LENGTH.code();
        }
        return admits(offset, bytes) ? Landing.LANDED : Refusal.SOURCE_OUT_OF_BOUNDS.code();
    }

    /**
     * Returns true if the open operand covers {@code bytes} at {@code offset}. The number of bytes must not be
     * negative.
     */
    boolean admits(long offset, long bytes) {
        return covers(length, offset, bytes);
    }

    /** Returns true if an operand of this length covers a range, as {@link #admits} does for the open one. */
    static boolean covers(long windowLength, long offset, long bytes) {
        return offset >= 0 && offset <= windowLength - bytes;
    }

    /**
     * Returns true if two ranges are covered by their operands. The last possible offset of each range is given; it is
     * negative if the range does not fit. One comparison checks the signs of both.
     */
    static boolean areWithin(long offset, long last, long otherOffset, long otherLast) {
        return (offset | otherOffset) >= 0 && offset <= last && otherOffset <= otherLast;
    }

    /** Returns the last offset at which the open operand covers {@code bytes}. It is negative if it covers none. */
    long last(int bytes) {
        return length - bytes;
    }

    /** Returns the offset of the open operand in the arena. */
    long base() {
        return base;
    }

    /** Returns the length of the open operand in bytes. */
    long length() {
        return length;
    }
}
