package org.segno.bench.segno;

import org.segno.bench.experiment.Side;
import org.segno.bench.experiment.SliceFigures;

/**
 * Side with dedicated engines that spin only while it is measured.
 *
 * @param side the measured side
 * @param ends the ends with the engine
 */
record GatedSide(Side side, NodeEnd ends) implements Side {
    @Override
    public void enter() {
        ends.enter();
    }

    @Override
    public void slice(int operations, SliceFigures figures) {
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
