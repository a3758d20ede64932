package org.segno.bench.segno;

import org.segno.bench.experiment.Side;
import org.segno.bench.experiment.SliceFigures;
import org.segno.context.Context;
import org.segno.memory.InjectionCounter;
import org.segno.pattern.Pattern;
import org.segno.pattern.Rounds;
import org.segno.status.Status;

/**
 * PUTs from rank 0 to rank 1 of an application thread that runs both: one transfer after the other, each until it has
 * landed and the sender knows that. A transfer is one PUT, or a round of short ones.
 */
final class JointTransfer implements Side {
    private final JointPair pair;
    private final JointPair.End from;
    private final JointPair.End to;
    private final Context context;
    private final InjectionCounter sent;
    private final int count;
    private final int size;
    private final Pattern pattern;
    private final boolean replayed;

    private JointTransfer(JointPair pair, int count, int size, boolean replayed) {
        this.pair = pair;
        this.from = pair.end(0);
        this.to = pair.end(1);
        this.context = from.context();
        this.sent = pair.injectionCounter(0);
        this.count = count;
        this.size = size;
        this.replayed = replayed;
        // Outside the recording, so that later rounds do not wait for it.
        sent.expect((long) count * size);
        to.counter().expect((long) count * size);
        this.pattern = context.record(pair.user(), Rounds.ORDERED_BY_CALLER, this::inject);
        awaitRound();
    }

    /** Returns the measurement of one PUT of {@code size} bytes. */
    static Side one(JointPair pair, int size) {
        return pair.gated(new JointTransfer(pair, 1, size, false));
    }

    /** Returns the measurement of a round of PUTs of {@code size} bytes. */
    static Side round(JointPair pair, int count, int size, boolean replayed) {
        return pair.gated(new JointTransfer(pair, count, size, replayed));
    }

    @Override
    public void slice(int operations, SliceFigures figures) {
        final long beginNs = System.nanoTime();
        for (int i = 0; i < operations; i++) {
            to.counter().expect((long) count * size);
            if (replayed) {
                while (context.replay(pattern) < 0) {
                    context.advance();
                }
                awaitRound();
            } else {
                sent.expect((long) count * size);
                inject();
                awaitCounter();
            }
        }
        figures.set(0, (System.nanoTime() - beginNs) / (double) operations);
    }

    private void inject() {
        for (int i = 0; i < count; i++) {
            final long at = (long) i * size;
            while (context.put(from.target(), at, from.outgoing(), at, size, sent) == Status.BACK_PRESSURED) {
                turn();
            }
        }
    }

    private void awaitRound() {
        while (pattern.executedAcquire() < pattern.generation() || to.counter().valueAcquire() > 0) {
            turn();
        }
    }

    private void awaitCounter() {
        while (sent.valueAcquire() > 0 || to.counter().valueAcquire() > 0) {
            turn();
        }
    }

    private void turn() {
        context.advance();
        to.context().advance();
    }

    @Override
    public void close() {
        pair.close();
    }
}
