package org.segno.simulator;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import org.agrona.BitUtil;
import org.jspecify.annotations.Nullable;
import org.segno.engine.dma.DmaEngine;
import org.segno.engine.job.Attachment;
import org.segno.engine.memory.MappedMemory;
import org.segno.engine.memory.NodeHeader;
import org.segno.engine.memory.NodeLayout;
import org.segno.engine.memory.NodeMemory;
import org.segno.engine.memory.Peer;
import org.segno.engine.memory.PeerStates;
import org.segno.engine.memory.PeerTable;
import org.segno.node.JobConfig;
import org.segno.node.Node;
import org.segno.node.NodeAccess;
import org.segno.node.NodeConfig;
import org.segno.status.StatusAccess;

/**
 * One simulation of a job. Some pairs of ranks have mapped each other's memory, the others have links. The clock starts
 * just below its wrap for some seeds.
 */
public final class Simulation {
    /** Virtual time within which everything must be complete. */
    private static final long LIMIT_NS = TimeUnit.SECONDS.toNanos(10);

    private static final long JOB_HIGH = 0x5365676e6fL;

    private final SimulationPlan plan;
    private final SplittableRandom random;
    private final VirtualTime time;
    private final EventHash events;
    private final List<SimulatedNode> nodes = new ArrayList<>();
    private final List<Wire> wires = new ArrayList<>();
    private final Scheduler scheduler;

    /** Ranks below it have mapped each other's memory. */
    private final int mapped;

    private Simulation(SimulationPlan plan, @Nullable SimulationObserver observer) {
        this.plan = plan;
        this.random = new SplittableRandom(plan.seed());
        this.time = new VirtualTime(random.nextInt(4) == 0 ? Long.MAX_VALUE - random.nextInt(1_000_000) : 0);
        this.events = new EventHash(time, observer);
        this.mapped = random.nextInt(plan.nodes() + 1);
        this.scheduler = new Scheduler(time, nodes);
    }

    /** Runs a simulation on this thread. */
    public static SimulationResult run(SimulationPlan plan) {
        return run(plan, null);
    }

    /** Runs a simulation on this thread, with an observer of its events. */
    public static SimulationResult run(SimulationPlan plan, @Nullable SimulationObserver observer) {
        final Simulation simulation = new Simulation(plan, observer);
        StatusAccess.useClock(simulation.time::nowNs);
        try {
            return simulation.run();
        } finally {
            StatusAccess.useClock(null);
        }
    }

    private SimulationResult run() {
        final long startNs = time.nowNs();
        assemble();
        final MixedLayout layout = new MixedLayout(plan.nodes());
        final Ledger ledger = new Ledger(plan.nodes(), layout.windowBytes(), events);
        final List<MixedWorkload> programs = new ArrayList<>();
        for (final SimulatedNode one : nodes) {
            final int rest = plan.operations() % plan.nodes();
            final int share = plan.operations() / plan.nodes() + (programs.size() < rest ? 1 : 0);
            programs.add(new MixedWorkload(one.node(), ledger, events, random.split(), share));
        }
        for (int rank = 0; rank < plan.nodes(); rank++) {
            programs.get(rank).begin();
        }
        for (int rank = 0; rank < plan.nodes(); rank++) {
            nodes.get(rank).program(programs.get(rank));
        }
        final FaultPlan faults = plan.has(Fault.STALL) ? FaultPlan.draw(random.split(), nodes, wires) : FaultPlan.none();
        while (!isComplete(ledger) && time.nowNs() - startNs < LIMIT_NS) {
            faults.apply(time.nowNs() - startNs, time.nowNs());
            scheduler.turn();
        }
        final long virtualNs = time.nowNs() - startNs;
        ledger.checkComplete();
        if (virtualNs >= LIMIT_NS) {
            ledger.defect("not complete after " + TimeUnit.NANOSECONDS.toSeconds(LIMIT_NS) + " s: ranks "
                    + nodes.stream().filter(node -> !node.isDone()).toList());
        }
        programs.forEach(MixedWorkload::check);
        close();
        return new SimulationResult(plan, ledger.messages(), virtualNs, events.value(), ledger.checks(), ledger.defects());
    }

    private boolean isComplete(Ledger ledger) {
        for (final SimulatedNode node : nodes) {
            if (!node.isDone()) {
                return false;
            }
        }
        return ledger.isComplete();
    }

    private void assemble() {
        for (int rank = 0; rank < plan.nodes(); rank++) {
            nodes.add(new SimulatedNode(rank, time));
        }
        final int windowBytes = BitUtil.align(new MixedLayout(plan.nodes()).windowBytes(), NodeLayout.PAGE);
        final NodeConfig config = NodeAccess.builtInConfig()
                .withThreading(NodeConfig.Threading.INVOKER)
                .withContexts(1)
                .withFifos(2)
                .withFifoSlots(1 << random.nextInt(2, 7))
                .withPatternBufferBytes(64 * 1024)
                .withPatterns(4)
                .withRunSlots(4)
                .withCounters(4, 4)
                .withLaneBudgetBytes((long) NodeLayout.PAGE * plan.nodes())
                .withWindowBytes(windowBytes);
        final List<NodeMemory> memories = new ArrayList<>();
        for (int rank = 0; rank < plan.nodes(); rank++) {
            memories.add(memory(rank, config));
        }
        final List<Map<Integer, SimulatedLink>> links = new ArrayList<>();
        for (int rank = 0; rank < plan.nodes(); rank++) {
            links.add(new TreeMap<>());
        }
        for (int low = 0; low < plan.nodes(); low++) {
            for (int high = Math.max(low + 1, mapped); high < plan.nodes(); high++) {
                link(links, low, high);
            }
        }
        for (int rank = 0; rank < plan.nodes(); rank++) {
            nodes.get(rank).node(assemble(rank, config, memories, links.get(rank)));
        }
    }

    /** Returns the ranks that have mapped the memory of a rank. */
    private int[] origins(int rank) {
        return rank < mapped ? IntStream.range(0, mapped).toArray() : new int[] {rank};
    }

    private NodeMemory memory(int rank, NodeConfig config) {
        final int[] origins = origins(rank);
        final NodeLayout layout = NodeAccess.layout(config, plan.nodes(), origins.length);
        final NodeHeader.Identity identity = new NodeHeader.Identity(JOB_HIGH, plan.seed(), rank, 1, 1);
        return NodeMemory.withoutFile(layout, identity, origins, bytes -> MappedMemory.ofProcess((int) bytes));
    }

    private void link(List<Map<Integer, SimulatedLink>> links, int low, int high) {
        final LinkModel model = LinkModel.draw(random, MixedWorkload.LONGEST_MESSAGE);
        final Wire up = new Wire(time, model, random.split());
        final Wire down = new Wire(time, model, random.split());
        wires.add(up);
        wires.add(down);
        links.get(low).put(high, new SimulatedLink(high, model, up, down, this::arrives));
        links.get(high).put(low, new SimulatedLink(low, model, down, up, this::arrives));
    }

    private void arrives(int rank, long atNs) {
        nodes.get(rank).arrives(atNs);
    }

    private Node assemble(int rank, NodeConfig config, List<NodeMemory> memories, Map<Integer, SimulatedLink> links) {
        final List<Peer> near = new ArrayList<>();
        for (final int origin : origins(rank)) {
            near.add(Peer.mapped(memories.get(origin)));
        }
        final PeerTable peers = new PeerTable(
                plan.nodes(),
                near,
                peer -> Peer.linked(peer, memories.get(peer).layout().dimensions()));
        final DmaEngine.LinkSource source = new SimulatedLinks(peers, links, new ArrayDeque<>(links.keySet()));
        final SimulatedNode node = nodes.get(rank);
        final Attachment attachment = new SimulatedAttachment(rank, memories);
        return NodeAccess.assemble(
                JobConfig.of("simulation", rank, plan.nodes()),
                config.withIdle(() -> new SimulatedIdle(scheduler, node)),
                memories.get(rank),
                peers,
                engine -> source,
                attachment);
    }

    /** Closes the nodes one after the other, as their application would. */
    private void close() {
        for (final SimulatedNode one : nodes) {
            one.program(SimulatedProgram.NONE);
        }
        for (final SimulatedNode one : nodes) {
            one.node().close();
            one.end();
        }
    }

    /** Job of a simulated node. The other ranks know at once when the node has left or failed. */
    private record SimulatedAttachment(int rank, List<NodeMemory> memories) implements Attachment {
        @Override
        public boolean isProcessGone(int peer) {
            return false;
        }

        @Override
        public void fail() {
            tell(PeerStates.DEAD);
        }

        @Override
        public void leave() {
            tell(PeerStates.LEFT);
        }

        private void tell(int state) {
            for (final NodeMemory memory : memories) {
                if (memory.rank() != rank) {
                    new PeerStates(memory).change(rank, state);
                }
            }
        }

        @Override
        public void release() {
            // The simulation's memory ends with it.
        }
    }
}
