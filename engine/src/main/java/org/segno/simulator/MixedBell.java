package org.segno.simulator;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import org.segno.memory.InjectionCounter;
import org.segno.memory.ReceptionCounter;
import org.segno.memory.Right;
import org.segno.memory.Target;
import org.segno.status.Deadline;

/**
 * Counter with a hit handler, one for each node of the mixed workload. Its owner expects a few PUTs now and then.
 * Whenever they have all arrived, the handler must run, whether or not the event finds room in a lane.
 */
final class MixedBell implements MixedPart {
    private static final String NAME = "bell";
    private static final int MOST_PUTS = 4;

    private final MixedParts parts;
    private final MixedCompletions completions;
    private final ReceptionCounter bell;
    private final List<Target> bells = new ArrayList<>();
    private long expected;

    /** True from an expectation to the hit that ends it. */
    private boolean isAwaited;

    MixedBell(MixedParts parts, MixedCompletions completions) {
        this.parts = parts;
        this.completions = completions;
        this.bell = parts.node()
                .client()
                .receptionCounter(
                        parts.window(),
                        parts.layout().bell(),
                        parts.layout().bellBytes(),
                        ReceptionCounter.ANYBODY,
                        Right.PUT);
        parts.context().onHit(bell, counter -> onHit());
        parts.node().client().publish(NAME, bell);
    }

    @Override
    public void begin() {
        for (int peer = 0; peer < parts.layout().nodes(); peer++) {
            final int near = parts.isNear(peer) ? peer : parts.rank();
            bells.add(parts.context().attach(near, NAME, Deadline.in(60, TimeUnit.SECONDS)));
        }
    }

    private void onHit() {
        parts.ledger().checked();
        // An event may be that of an earlier hit.
        isAwaited = isAwaited && bell.valueAcquire() > 0;
    }

    /** Draws a PUT to the bell of a peer. It is attempted until it is accepted. */
    BooleanSupplier ring(int peer) {
        final InjectionCounter done = completions.expectPut(peer, Long.BYTES);
        final long offset = (long) parts.rank() * Long.BYTES;
        final long source = parts.layout().constant();
        return () -> {
            if (parts.context().put(bells.get(peer), offset, parts.window(), source, Long.BYTES, done) < 0) {
                return false;
            }
            parts.ledger().landed(peer, Ledger.BELL, Long.BYTES);
            return true;
        };
    }

    /** Expects a few PUTs more than have arrived, unless others are expected. */
    boolean expect() {
        if (!isAwaited) {
            final long bytes = Math.max(0, -bell.valueAcquire())
                    + (long) Long.BYTES * parts.random().nextInt(MOST_PUTS);
            isAwaited = true;
            expected += bytes;
            bell.expect(bytes);
        }
        return true;
    }

    /** Returns true if no hit is missing. */
    @Override
    public boolean isIdle() {
        return !isAwaited || bell.valueAcquire() > 0;
    }

    @Override
    public void check() {
        parts.ledger().checkCounter(parts.rank(), Ledger.BELL, expected - bell.valueAcquire());
    }
}
