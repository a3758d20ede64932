package org.segno.multisend;

import java.util.Objects;
import org.jspecify.annotations.Nullable;
import org.segno.context.Context;
import org.segno.counter.InjectionCounter;
import org.segno.memory.Window;
import org.segno.operation.Target;
import org.segno.status.Status;

/**
 * Puts and gets of what does not lie in one piece, at either end: the bytes of one side's {@link Blocks}, in their order, go to those of the
 * other's, which may be cut otherwise. Injected with one store of the tail, all or nothing, in a replying handler too; inside {@code record}
 * each part is recorded. One thread, the one that holds the context; allocates nothing.
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

    /** Operations through {@code context}. */
    public Vectored(Context context) {
        this.context = context;
    }

    /**
     * Copies blocks of a window to blocks of a target, whose counter is counted down by their bytes, as {@link Context#put} does for each
     * part.
     *
     * @param completes counted down by all bytes when they have been read, if given
     * @return zero or more, or {@link Status#BACK_PRESSURED} while there is no room for all: nothing has happened
     * @throws IllegalArgumentException if the two sides differ in their bytes, a block lies outside the window or the target, or there are
     *     more parts than the FIFO has slots; inside {@code record} the pattern buffer alone limits them
     * @throws IllegalStateException in a handler that may not send
     */
    public long put(Target to, Blocks there, Window from, Blocks here, @Nullable InjectionCounter completes) {
        gets = false;
        return inject(to, there, from, here, completes);
    }

    /**
     * Copies blocks of another rank's memory to blocks of a window, as {@link Context#get} does for each part; otherwise as {@link #put}.
     *
     * @param completes counted down by all bytes when they are here; nothing else tells when they are
     * @throws NullPointerException if it is null
     */
    public long get(Target from, Blocks there, Window into, Blocks here, InjectionCounter completes) {
        Objects.requireNonNull(completes, "completes: a get needs the counter that tells when the bytes are here");
        gets = true;
        return inject(from, there, into, here, completes);
    }

    private long inject(Target to, Blocks far, Window local, Blocks near, @Nullable InjectionCounter completes) {
        final int parts = check(to, far, local, near);
        target = to;
        there = far;
        window = local;
        here = near;
        counter = completes;
        return context.together(parts, injectAll);
    }

    /** Everything that could be wrong with a part is found before the first is injected; answers how many parts there are. */
    private int check(Target to, Blocks far, Window local, Blocks near) {
        if (far.bytes() != near.bytes()) {
            throw new IllegalArgumentException("both sides must have as many bytes: there " + far + ", here " + near);
        }
        for (int i = 0; i < near.count(); i++) {
            local.requireRange("block " + i, near.offset(i), near.length(i));
        }
        for (int i = 0; i < far.count(); i++) {
            if (far.offset(i) > to.length() - far.length(i)) {
                throw new IllegalArgumentException("block " + i + " ends at " + (far.offset(i) + far.length(i))
                        + ", beyond the counter's " + to.length() + " bytes: " + to);
            }
        }
        final int parts = walk(far, near, false);
        if (parts > context.fifo().slots() && !context.isRecording()) {
            throw new IllegalArgumentException("the " + parts + " parts of " + far
                    + " need as many slots, the FIFO has " + context.fifo().slots()
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

    /** Goes along both sides, part by part: each as long as both blocks go on. Answers how many there are, and injects them if wanted. */
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
