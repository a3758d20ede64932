package org.segno.bench.segno;

import java.util.List;
import java.util.OptionalInt;
import java.util.concurrent.CopyOnWriteArrayList;
import org.segno.bench.experiment.Cores;
import org.segno.bench.experiment.Side;
import org.segno.bench.experiment.SliceFigures;
import org.segno.node.NodeConfig.Threading;

/** Gates of several nodes of one process, whose engines, if they have threads, share a core. */
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
        return new Gated(gates, measured);
    }

    private record Gated(List<EngineGate> gates, Side measured) implements Side {
        @Override
        public void enter() {
            gates.forEach(EngineGate::open);
        }

        @Override
        public void slice(int operations, SliceFigures figures) {
            measured.slice(operations, figures);
        }

        @Override
        public void leave() {
            gates.forEach(EngineGate::shut);
        }

        @Override
        public void close() {
            enter();
            measured.close();
        }
    }
}
