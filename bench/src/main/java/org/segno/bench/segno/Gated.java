package org.segno.bench.segno;

import org.segno.bench.experiment.Figures;
import org.segno.bench.experiment.Side;

/**
 * A side whose dedicated engines spin only while it is measured.
 *
 * @param side what is measured
 * @param ends whose engine it is
 */
record Gated(Side side, Ends ends) implements Side {
    @Override
    public void enter() {
        ends.enter();
    }

    @Override
    public void slice(int operations, Figures figures) {
        side.slice(operations, figures);
    }

    @Override
    public void leave() {
        ends.leave();
    }

    @Override
    public void close() {
        side.close();
    }
}
