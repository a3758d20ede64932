package org.segno.bench.segno;

import org.segno.bench.experiment.Side;
import org.segno.bench.experiment.SliceFigures;
import org.segno.context.Context;

/**
 * Side with dedicated engines that spin only while it is measured.
 *
 * @param side the measured side
 * @param gate gate of the engine
 * @param context context that the engine serves
 */
record GatedSide(Side side, EngineGate gate, Context context) implements Side {
    GatedSide(Side side, NodeEnd ends) {
        this(side, ends.gate(), ends.context());
    }

    @Override
    public void enter() {
        gate.open();
    }

    @Override
    public void slice(int operations, SliceFigures figures) {
        side.slice(operations, figures);
    }

    @Override
    public void leave() {
        gate.shutAfter(context);
    }

    @Override
    public void close() {
        side.close();
    }
}
