package org.segno.bench.segno;

import org.segno.bench.experiment.Side;
import org.segno.bench.experiment.SliceFigures;
import org.segno.context.Context;

/**
 * Side with engines that work only while it is measured and when it is closed.
 *
 * @param side the measured side
 * @param open lets the engines work
 * @param shut lets them park, once they have carried everything out
 */
record GatedSide(Side side, Runnable open, Runnable shut) implements Side {
    GatedSide(Side side, NodeEnd ends) {
        this(side, ends::enter, ends::leave);
    }

    GatedSide(Side side, EngineGate gate, Context context) {
        this(side, gate::open, () -> gate.shutAfter(context));
    }

    @Override
    public void enter() {
        open.run();
    }

    @Override
    public void slice(int operations, SliceFigures figures) {
        side.slice(operations, figures);
    }

    @Override
    public void leave() {
        shut.run();
    }

    @Override
    public void close() {
        open.run();
        side.close();
    }
}
