package org.segno.bench.segno;

import java.util.List;
import java.util.OptionalInt;
import java.util.concurrent.CopyOnWriteArrayList;
import org.segno.bench.experiment.Cores;
import org.segno.bench.experiment.Side;
import org.segno.node.NodeConfig.Threading;

/** Gates of several nodes of one process. Engines with threads of their own share a core. */
final class EngineGates {
    private final Threading threading;
    private final List<EngineGate> gates = new CopyOnWriteArrayList<>();

    EngineGates(Threading threading) {
        this.threading = threading;
    }

    /** Returns a new open gate, for one engine or one context. */
    EngineGate next() {
        final OptionalInt core = Cores.engine();
        final EngineGate gate = threading == Threading.INVOKER || core.isEmpty()
                ? EngineGate.of(threading)
                : EngineGate.among(core.getAsInt());
        gates.add(gate);
        return gate;
    }

    /** Returns the side that lets the engines work while {@code measured} is measured, which leaves nothing to do. */
    Side gated(Side measured) {
        return new GatedSide(measured, () -> gates.forEach(EngineGate::open), () -> gates.forEach(EngineGate::shut));
    }
}
