package org.segno.context;

import org.agrona.BitUtil;
import org.jspecify.annotations.Nullable;
import org.segno.counter.CounterPair;
import org.segno.counter.InjectionCounter;
import org.segno.counter.ReceptionCounter;
import org.segno.descriptor.Descriptor;
import org.segno.fifo.InjectionFifoProducer;
import org.segno.memory.Memory;
import org.segno.memory.Window;
import org.segno.operation.Notification;
import org.segno.operation.Rmw;
import org.segno.operation.Target;
import org.segno.pattern.PatternBuffer;
import org.segno.work.ThreadRule;

/**
 * What a context injects that reaches into another rank's memory, with no part for the application there: as the rights of the
 * counter that it names allow. {@link org.segno.counter.Right} has the list; what goes beyond is refused, and whoever awaits the
 * injection counter hears of it.
 */
public abstract sealed class OneSided extends Sending permits ThreadingPoint, InjectionFifo {
    private static final int PART_ALIGNMENT = 4096;

    private final Memory arena;
    private final Memory values;
    private long splitFrom = Long.MAX_VALUE;
    private OneSided[] parts = {};

    OneSided(NodeShare share, InjectionFifoProducer fifo, PatternBuffer patterns, ThreadRule threads, Homes homes) {
        super(share, fifo, patterns, threads, homes);
        this.arena = node().arena();
        this.values = node().peers();
    }

    /**
     * Copies {@code length} bytes of a window to a target: they land at its counter's base and {@code targetOffset}, and its counter
     * is counted down after them. The source belongs to the engine until it has been read; an injection counter says when that is.
     *
     * @throws IllegalArgumentException if a range lies outside the source window or the target, or another node made the window
     */
    public final long put(Target target, long targetOffset, Window source, long sourceOffset, long length) {
        return put(target, targetOffset, source, sourceOffset, length, null);
    }

    /**
     * As the other {@code put}; {@code counter}, if given, is counted down by {@code length} when the source has been read, and hears of
     * refusals. What it shall wait for is expected first: {@code counter.expect(length)}.
     */
    public final long put(
            Target target,
            long targetOffset,
            Window source,
            long sourceOffset,
            long length,
            @Nullable InjectionCounter counter) {
        if (isWrong(target, targetOffset, source, sourceOffset, length, counter)) {
            throw wrong(target, targetOffset, source, sourceOffset, length, counter);
        }
        if (length >= splitFrom && sink == fifo) {
            return putInParts(target, targetOffset, source, sourceOffset, length, counter);
        }
        final long slot = claim(target);
        if (slot < 0) {
            return slot;
        }
        writer.put(slot, target, targetOffset, source, sourceOffset, length);
        if (counter != null) {
            writer.completes(slot, counter);
        }
        return sink.publish();
    }

    /**
     * As the other {@code put}, and a handler at the target hears of it ({@link Context#notified}) after the last byte: nothing lands
     * before there is room to tell it so. Never in parts. Over mapped memory only: over a link it is refused.
     *
     * @param notification which handler, and which counter completes here
     */
    public final long putNotifying(
            Target target,
            long targetOffset,
            Window source,
            long sourceOffset,
            long length,
            Notification notification) {
        final InjectionCounter counter = notification.injectionCounter();
        if (isWrong(target, targetOffset, source, sourceOffset, length, counter)) {
            throw wrong(target, targetOffset, source, sourceOffset, length, counter);
        }
        final int context = homes.context(target.rank(), notification.context());
        final long slot = claim(target);
        if (slot < 0) {
            return slot;
        }
        writer.put(slot, target, targetOffset, source, sourceOffset, length);
        writer.notifies(slot, context, notification.dispatchId());
        if (counter != null) {
            writer.completes(slot, counter);
        }
        return sink.publish();
    }

    /**
     * From here on a {@code put} of {@code fromBytes} or more goes in equal parts through this FIFO and the others, whole pages each, so
     * that several engines copy it at once; one that finds no room in any of them has not happened. Not what is recorded: a pattern lies
     * in one section. It pays where a core is free for each engine ({@code NodeConfig.withEngines}), so it is off unless asked for.
     *
     * @param fromBytes 1 or more
     * @param others FIFOs of the same context; none ends it
     */
    public final void split(long fromBytes, InjectionFifo... others) {
        if (fromBytes < 1) {
            throw new IllegalArgumentException("what is split has bytes: fromBytes=" + fromBytes);
        }
        for (final InjectionFifo other : others) {
            other.requireOf(this);
        }
        parts = others.clone();
        splitFrom = others.length == 0 ? Long.MAX_VALUE : fromBytes;
    }

    private long putInParts(
            Target target,
            long targetOffset,
            Window source,
            long sourceOffset,
            long length,
            @Nullable InjectionCounter counter) {
        long slot = claim(target);
        for (final OneSided other : parts) {
            slot = slot < 0 ? slot : other.claim();
        }
        if (slot < 0) {
            return slot;
        }
        // Rounded up: together the parts are never less than the whole.
        final long part = BitUtil.align((length + parts.length) / (parts.length + 1), PART_ALIGNMENT);
        long done = Math.min(part, length);
        for (final OneSided other : parts) {
            final long bytes = Math.min(part, length - done);
            if (bytes > 0) {
                other.put(target, targetOffset + done, source, sourceOffset + done, bytes, counter);
            }
            done += bytes;
        }
        final long first = claim();
        writer.put(first, target, targetOffset, source, sourceOffset, Math.min(part, length));
        if (counter != null) {
            writer.completes(first, counter);
        }
        return sink.publish();
    }

    /**
     * Copies {@code length} bytes from the base of a counter at another rank and {@code sourceOffset} into a window. They are there
     * when {@code counter} has been counted down by {@code length}, and may be read; the place belongs to the engine until then.
     *
     * @param counter hears of refusals too: that the source gives no right to read, for one
     * @throws IllegalArgumentException if a range lies outside the window or the source, or another node made the window
     */
    public final long get(
            Target source, long sourceOffset, Window into, long offset, long length, InjectionCounter counter) {
        if (isWrong(source, sourceOffset, into, offset, length, counter)) {
            throw wrong(source, sourceOffset, into, offset, length, counter);
        }
        final long slot = claim(source);
        if (slot < 0) {
            return slot;
        }
        writer.get(slot, source, sourceOffset, offset, length);
        writer.intoWindow(slot, into, counter);
        return sink.publish();
    }

    /**
     * As the other {@code get}; the bytes land at the base of a counter of this rank and {@code offset}, whomever that admits, and
     * count it down. What it shall wait for is expected there.
     *
     * @param counter counted down as well, if given; without one nobody hears of a refusal but the metrics
     */
    public final long get(
            Target source,
            long sourceOffset,
            ReceptionCounter into,
            long offset,
            long length,
            @Nullable InjectionCounter counter) {
        into.requireOf(node());
        requireGet(source, sourceOffset, into.length(), offset, length, counter);
        final long slot = claim(source);
        if (slot < 0) {
            return slot;
        }
        writer.get(slot, source, sourceOffset, offset, length);
        writer.intoCounter(slot, into, 0, counter);
        return sink.publish();
    }

    /** As the other {@code get}, inside {@code record} only: lands at the pair's counter of the round. */
    public final long get(
            Target source,
            long sourceOffset,
            CounterPair into,
            long offset,
            long length,
            @Nullable InjectionCounter counter) {
        into.requireOf(node());
        requireGet(source, sourceOffset, into.length(), offset, length, counter);
        if (patterns.recorder() == null) {
            throw new IllegalStateException("which of the pair's counters is meant only a pattern knows; outside record"
                    + " get into pair.counter(g)");
        }
        final long slot = claim(source);
        if (slot < 0) {
            return slot;
        }
        writer.get(slot, source, sourceOffset, offset, length);
        writer.intoCounter(slot, into.counter(0), Descriptor.ALTERNATE_LANDING, counter);
        return sink.publish();
    }

    /**
     * Changes an aligned 64-bit word of another rank atomically: the one at its counter's base and {@code targetOffset}. Atomic
     * towards everybody who changes it so, whatever their rank. The target's counter counts nothing.
     *
     * @throws IllegalArgumentException if the word lies outside the target, or another node made the result's window or the counter
     */
    public final long rmw(Target target, long targetOffset, Rmw change) {
        change.requireOf(node());
        if (targetOffset < 0 || targetOffset > target.length() - Long.BYTES || target.rank() >= peers.length) {
            requireRank(target.rank());
            throw outside(target, targetOffset, Long.BYTES);
        }
        final long slot = claim(target);
        if (slot < 0) {
            return slot;
        }
        writer.rmw(slot, target, targetOffset, change);
        return sink.publish();
    }

    private boolean isWrong(
            Target target,
            long targetOffset,
            Window window,
            long offset,
            long length,
            @Nullable InjectionCounter counter) {
        return !window.contains(offset, length)
                || targetOffset < 0
                || targetOffset > target.length() - length
                || target.rank() >= peers.length
                || !window.isIn(arena)
                || (counter != null && !counter.isIn(values));
    }

    private IllegalArgumentException wrong(
            Target target,
            long targetOffset,
            Window window,
            long offset,
            long length,
            @Nullable InjectionCounter counter) {
        requireRank(target.rank());
        window.requireOf(node());
        window.requireRange("window", offset, length);
        if (counter != null) {
            counter.requireOf(node());
        }
        return outside(target, targetOffset, length);
    }

    private void requireGet(
            Target source,
            long sourceOffset,
            long placeLength,
            long offset,
            long length,
            @Nullable InjectionCounter counter) {
        requireRank(source.rank());
        if (counter != null) {
            counter.requireOf(node());
        }
        if (length < 0 || offset < 0 || offset > placeLength - length) {
            throw new IllegalArgumentException("landing range [" + offset + ", " + offset + " + " + length
                    + ") lies outside the counter's " + placeLength + " bytes");
        }
        if (sourceOffset < 0 || sourceOffset > source.length() - length) {
            throw outside(source, sourceOffset, length);
        }
    }

    private static IllegalArgumentException outside(Target target, long targetOffset, long length) {
        return new IllegalArgumentException("target range [" + targetOffset + ", " + targetOffset + " + " + length
                + ") lies outside the counter's " + target.length() + " bytes: " + target);
    }
}
