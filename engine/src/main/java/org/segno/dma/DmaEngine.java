package org.segno.dma;

import org.agrona.concurrent.Agent;
import org.jspecify.annotations.Nullable;
import org.segno.landing.Landing;
import org.segno.memory.NodeMemory;
import org.segno.memory.WindowArena;
import org.segno.metrics.ErrorLog;
import org.segno.metrics.NodeMetrics;

/**
 * The DMA engine of a node: drains its injection FIFOs and lands what they say. Run by one thread at a time: its own
 * ({@code DEDICATED}), or the application's ({@code INVOKER}). A pass never waits.
 */
public final class DmaEngine implements Agent {
    private final String roleName;
    private final InjectionUnit injection;

    /**
     * Makes the engine of {@code node}.
     *
     * @param landings by rank, where this engine lands; null where a peer's memory is not mapped
     */
    public DmaEngine(
            NodeMemory node, WindowArena windows, @Nullable Landing[] landings, NodeMetrics metrics, ErrorLog errors) {
        final Targets targets = new Targets(node, landings);
        final Visit visit = new Visit();
        final RefusalReport report = new RefusalReport(node, metrics, errors);
        this.roleName = "segno-dma-" + node.rank();
        this.injection = new InjectionUnit(
                node, new DescriptorUnit(node, windows, targets, visit, report), targets, visit, metrics);
    }

    @Override
    public int doWork() {
        return injection.doWork();
    }

    @Override
    public String roleName() {
        return roleName;
    }
}
