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
 * Operations that access another rank's memory without action by the application there. The rights of the counter that
 * they name must permit them; {@link org.segno.counter.Right} lists the rights. Any other access is refused, and the
 * injection counter reports the refusal to its waiter.
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
     * Copies {@code length} bytes of a window to a target. They land at {@code targetOffset} from its counter's base,
     * and the counter is counted down after them. The source belongs to the engine until it has been read; an injection
     * counter reports when that is.
     *
     * @throws IllegalArgumentException if a range lies outside the source window or the target, or the window belongs
     *     to another node
     */
    public final long put(Target target, long targetOffset, Window source, long sourceOffset, long length) {
        return put(target, targetOffset, source, sourceOffset, length, null);
    }

    /**
     * Copies as the other {@code put}. If {@code counter} is given, it is counted down by {@code length} when the
     * source has been read, and it reports refusals. The bytes to wait for must be expected first:
     * {@code counter.expect(length)}.
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
     * Copies as the other {@code put}, and notifies a handler at the target ({@link Context#notified}) after the last
     * byte. No byte lands before there is room for the notification. Never splits the copy. Requires mapped memory:
     * over a link it is refused.
     *
     * @param notification the handler, and the counter that completes here
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
     * Splits each later {@code put} of {@code fromBytes} or more into equal parts of whole pages, sent through this
     * FIFO and the others, so that several engines copy at once. If one of the FIFOs has no room, nothing is injected.
     * Recorded PUTs are not split, because a pattern lies in one section. Splitting pays only if each engine has a free
     * core ({@code NodeConfig.withEngines}), so it is off by default.
     *
     * @param fromBytes 1 or more
     * @param others FIFOs of the same context; none turns splitting off
     */
    public final void split(long fromBytes, InjectionFifo... others) {
        if (fromBytes < 1) {
            throw new IllegalArgumentException("fromBytes must be at least 1: fromBytes=" + fromBytes);
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
        // Rounded up, so that the parts together cover the whole length.
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
     * Copies {@code length} bytes from another rank, starting at {@code sourceOffset} from a counter's base there, into
     * a window. They may be read when {@code counter} has been counted down by {@code length}. Until then the
     * destination belongs to the engine.
     *
     * @param counter also reports refusals, for example because the source grants no right to read
     * @throws IllegalArgumentException if a range lies outside the window or the source, or the window belongs to
     *     another node
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
     * Copies as the other {@code get}. The bytes land at {@code offset} from the base of a counter of this rank and
     * count it down, whichever sources that counter admits. The bytes to wait for must be expected at that counter.
     *
     * @param counter counted down as well, if given; without one only the metrics report a refusal
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

    /** Copies as the other {@code get}, to the pair's counter of the round. Inside {@code record} only. */
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
            throw new IllegalStateException("a pair selects its counter by round, inside record only: outside record"
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
     * Changes an aligned 64-bit word of another rank atomically: the word at {@code targetOffset} from its counter's
     * base. The change is atomic with respect to all such changes by any rank. The target's counter is not counted
     * down.
     *
     * @throws IllegalArgumentException if the word lies outside the target, or the result's window or the counter
     *     belongs to another node
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
