package org.segno.bench.limit;

import java.lang.invoke.VarHandle;
import org.segno.bench.experiment.Role;
import org.segno.bench.experiment.Side;
import org.segno.bench.experiment.SliceFigures;
import org.segno.bench.experiment.TimeHistogram;

/**
 * Cost of injecting the PUTs of a {@link BareInjection}, which are executed outside the timing. One operation is one
 * round; the figure is the median of the slice's rounds.
 */
final class BareInjectionCost implements Side {
    private static final int ROUND_LIMIT = 1 << 16;

    private final Role role;
    private final BareInjection injection;
    private final TimeHistogram times = new TimeHistogram();

    BareInjectionCost(Role role, BareInjection injection) {
        this.role = role;
        this.injection = injection;
    }

    @Override
    public void slice(int operations, SliceFigures figures) {
        times.reset();
        final int rounds = Math.min(operations, ROUND_LIMIT);
        for (int round = 0; round < rounds; round++) {
            if (role == Role.ECHO) {
                injection.receive();
            } else {
                final long beginNs = System.nanoTime();
                injection.inject();
                times.record((double) (System.nanoTime() - beginNs));
                injection.execute();
                // As in the measured peer: stores that wait in the store buffer do not delay those of the next batch.
                VarHandle.fullFence();
            }
        }
        if (role == Role.ORIGIN) {
            figures.set(0, times.medianNs());
        }
    }

    @Override
    public void close() {
        injection.close();
    }
}
