package org.segno.multisend;

import java.util.Objects;
import org.jspecify.annotations.Nullable;
import org.segno.context.Context;
import org.segno.context.ContextAccess;
import org.segno.memory.InjectionCounter;
import org.segno.memory.MemoryAccess;
import org.segno.memory.Target;
import org.segno.memory.Window;
import org.segno.status.Status;

/**
 * Puts and gets of data that is not contiguous at one or both ends. The bytes of one side's {@link Blocks} are copied,
 * in order, to those of the other side, which may be divided differently. They are injected with one store of the tail,
 * all or nothing, in a replying handler, too. Inside {@code record} each part is recorded. Used by the one thread that
 * holds the context; allocates nothing.
 */
public final class Vectored {
    private final Context context;
    private final Runnable injectAll = this::injectAll;
    private boolean gets;
    private @Nullable Target target;
    private @Nullable Blocks there;
    private @Nullable Window window;
    private @Nullable Blocks here;
    private @Nullable InjectionCounter counter;

    /** Creates an instance whose operations go through {@code context}. */
    public Vectored(Context context) {
        this.context = Objects.requireNonNull(context, "context");
    }

    /**
     * Copies blocks of a window to blocks of a target and counts its counter down by their bytes, as
     * {@link Context#put} does for each part.
     *
     * @param completes counted down by all bytes when they have been read, if given
     * @return the position of the last part, or {@link Status#BACK_PRESSURED} while there is no room for all: nothing
     *     has happened
     * @throws IllegalArgumentException if the two sides differ in their bytes, a block lies outside the window or the
     *     target, or there are more parts than the FIFO has slots; inside {@code record} only the pattern buffer limits
     *     them
     * @throws IllegalStateException in a handler that may not send
     */
    public long put(Target to, Blocks there, Window from, Blocks here, @Nullable InjectionCounter completes) {
        Objects.requireNonNull(to, "to");
        Objects.requireNonNull(from, "from");
        requireBlocks(there, here);
        gets = false;
        return inject(to, there, from, here, completes);
    }

    /**
     * Copies blocks of another rank's memory to blocks of a window, as {@link Context#get} does for each part;
     * otherwise as {@link #put}.
     *
     * @param completes counted down by all bytes when they have arrived, which nothing else reports
     * @throws NullPointerException if it is null
     */
    public long get(Target from, Blocks there, Window into, Blocks here, InjectionCounter completes) {
        Objects.requireNonNull(completes, "completes: a get needs a counter that reports the arrival of its bytes");
        Objects.requireNonNull(from, "from");
        Objects.requireNonNull(into, "into");
        requireBlocks(there, here);
        gets = true;
        return inject(from, there, into, here, completes);
    }

    private static void requireBlocks(Blocks there, Blocks here) {
        Objects.requireNonNull(there, "there");
        Objects.requireNonNull(here, "here");
    }

    private long inject(Target to, Blocks far, Window local, Blocks near, @Nullable InjectionCounter completes) {
        final int parts = check(to, far, local, near);
        target = to;
        there = far;
        window = local;
        here = near;
        counter = completes;
        if (to.isNowhere()) {
            injectAll();
            return 0;
        }
        return context.batch(parts, injectAll);
    }

    /** Checks all parts before the first one is injected, and returns their number. */
    private int check(Target to, Blocks far, Window local, Blocks near) {
        if (far.bytes() != near.bytes()) {
            throw new IllegalArgumentException(
                    "both sides must have the same number of bytes: there " + far + ", here " + near);
        }
        for (int i = 0; i < near.count(); i++) {
            MemoryAccess.requireRange(local, "block " + i, near.offset(i), near.length(i));
        }
        for (int i = 0; i < far.count(); i++) {
            if (far.offset(i) > to.length() - far.length(i)) {
                throw new IllegalArgumentException("block " + i + " ends at " + (far.offset(i) + far.length(i))
                        + ", beyond the " + to.length() + " bytes of " + ContextAccess.describe(context, to));
            }
        }
        final int parts = walk(far, near, false);
        if (parts > context.fifo().slots() && !context.isRecording() && !to.isNowhere()) {
            throw new IllegalArgumentException("the " + parts + " parts of " + far
                    + " need as many slots, but the FIFO has " + context.fifo().slots()
                    + ": raise NodeConfig.withFifoSlots, or send fewer blocks at a time");
        }
        return parts;
    }

    private void injectAll() {
        final Blocks far = there;
        final Blocks near = here;
        if (far != null && near != null) {
            walk(far, near, true);
        }
    }

    /**
     * Iterates over both sides part by part; a part ends where a block of either side ends. Returns the number of
     * parts, and injects them if {@code injects} is true.
     */
    private int walk(Blocks far, Blocks near, boolean injects) {
        int parts = 0;
        int farBlock = 0;
        int nearBlock = 0;
        long farDone = 0;
        long nearDone = 0;
        while (farBlock < far.count() && nearBlock < near.count()) {
            final long part = Math.min(far.length(farBlock) - farDone, near.length(nearBlock) - nearDone);
            if (part != 0) {
                parts++;
                if (injects) {
                    inject(far.offset(farBlock) + farDone, near.offset(nearBlock) + nearDone, part);
                }
            }
            farDone += part;
            nearDone += part;
            if (farDone == far.length(farBlock)) {
                farBlock++;
                farDone = 0;
            }
            if (nearDone == near.length(nearBlock)) {
                nearBlock++;
                nearDone = 0;
            }
        }
        return parts;
    }

    private void inject(long thereOffset, long hereOffset, long length) {
        final Target to = target;
        final Window local = window;
        final InjectionCounter completes = counter;
        if (to == null || local == null) {
            return;
        }
        if (gets) {
            context.get(to, thereOffset, local, hereOffset, length, Objects.requireNonNull(completes));
        } else {
            context.put(to, thereOffset, local, hereOffset, length, completes);
        }
    }
}
