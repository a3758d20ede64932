package org.segno.simulator;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.TreeMap;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;
import org.segno.engine.dma.DmaEngine;
import org.segno.engine.job.Attachment;
import org.segno.engine.job.Inquiries;
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

/** The nodes of a simulation. Some pairs of ranks have mapped each other's memory, the others have links. */
final class SimulatedJob {
    private static final long JOB_HIGH = 0x5365676e6fL;

    /** Nodes from which all links have the smallest buffers, so that their memory fits the process. */
    private static final int MANY_NODES = 32;

    private static final long OVERTAKING_NS = 1_000_000;

    private final SimulationPlan plan;
    private final SplittableRandom random;
    private final VirtualTime time;
    private final EventHash events;
    private final Ledger ledger;
    private final Storage storage = Storage.ofThread();
    private final List<SimulatedNode> nodes = new ArrayList<>();
    private final List<NodeMemory> memories = new ArrayList<>();
    private final List<Inquiries> inquiries = new ArrayList<>();
    private final List<Wire> wires = new ArrayList<>();
    private final List<Map<Integer, SimulatedLink>> links = new ArrayList<>();
    private final List<ArrayDeque<Integer>> unopened = new ArrayList<>();
    private final Scheduler scheduler;

    /** Ranks below it have mapped each other's memory. */
    private final int mapped;

    /** The node that is being closed, or null. */
    private @Nullable SimulatedNode closing;

    SimulatedJob(SimulationPlan plan, SplittableRandom random, VirtualTime time, EventHash events, Ledger ledger) {
        this.plan = plan;
        this.random = random;
        this.time = time;
        this.events = events;
        this.ledger = ledger;
        this.mapped = random.nextInt(plan.nodes() + 1);
        this.scheduler = new Scheduler(time, nodes);
    }

    VirtualTime time() {
        return time;
    }

    EventHash events() {
        return events;
    }

    Ledger ledger() {
        return ledger;
    }

    List<SimulatedNode> nodes() {
        return nodes;
    }

    List<Wire> wires() {
        return wires;
    }

    Scheduler scheduler() {
        return scheduler;
    }

    /** Returns the number of ranks that have mapped the memory of those that are mapped, one at least. */
    int mapped() {
        return Math.max(1, mapped);
    }

    /** Assembles all nodes. */
    void assemble(NodeConfig config) {
        for (int rank = 0; rank < plan.nodes(); rank++) {
            nodes.add(new SimulatedNode(rank, time, random, plan.bounds().untilNs()));
            memories.add(memory(rank, config));
            inquiries.add(inquiries(rank));
            links.add(new TreeMap<>());
            unopened.add(new ArrayDeque<>());
        }
        final SplittableRandom slow = Fault.SLOW.random(plan.seed());
        for (int low = 0; low < plan.nodes(); low++) {
            for (int high = low + 1; high < plan.nodes(); high++) {
                if (high < mapped) {
                    nodes.get(low).near(nodes.get(high));
                    nodes.get(high).near(nodes.get(low));
                } else {
                    link(low, high, slow);
                }
            }
        }
        for (int rank = 0; rank < plan.nodes(); rank++) {
            nodes.get(rank).node(assemble(rank, config));
        }
    }

    /** Returns the requests of a rank. Its letters are delivered without delay. */
    private Inquiries inquiries(int rank) {
        return new Inquiries((to, word, second, third) -> {
            if (!nodes.get(to).isCrashed()) {
                inquiries.get(to).received(rank, word, second, third);
            }
        });
    }

    /** Returns the ranks that have mapped the memory of a rank. */
    private int[] origins(int rank) {
        return rank < mapped ? IntStream.range(0, mapped).toArray() : new int[] {rank};
    }

    private NodeMemory memory(int rank, NodeConfig config) {
        final int[] origins = origins(rank);
        final NodeLayout layout = NodeAccess.layout(config, plan.nodes(), origins.length);
        final NodeHeader.Identity identity = new NodeHeader.Identity(JOB_HIGH, plan.seed(), rank, 1, 1);
        return NodeMemory.withoutFile(layout, identity, origins, storage::take);
    }

    private void link(int low, int high, SplittableRandom slow) {
        final LinkModel model = model(slow);
        final Wire up = wire(low, high, model);
        final Wire down = wire(high, low, model);
        nodes.get(low).link(up, down);
        nodes.get(high).link(down, up);
        links.get(low).put(high, new SimulatedLink(high, time, model, up, down, this::wake));
        links.get(high).put(low, new SimulatedLink(low, time, model, down, up, this::wake));
    }

    private LinkModel model(SplittableRandom slow) {
        LinkModel model = LinkModel.draw(random, MixedLayout.LONGEST_MESSAGE);
        if (slow.nextInt(3) == 0 && plan.has(Fault.SLOW)) {
            model = model.slow();
        }
        if (plan.has(Fault.SMALL) || plan.nodes() > MANY_NODES) {
            model = model.smallest(MixedLayout.LONGEST_MESSAGE);
        }
        return plan.has(Fault.REORDER) ? model.overtaking(OVERTAKING_NS) : model;
    }

    private Wire wire(int sender, int receiver, LinkModel model) {
        final Wire wire = new Wire(sender, receiver, time, model, random.split(), storage.take(Wire.bytes(model)));
        wires.add(wire);
        return wire;
    }

    private void wake(int rank, long atNs) {
        nodes.get(rank).wake(atNs);
    }

    private Node assemble(int rank, NodeConfig config) {
        final List<Peer> near = new ArrayList<>();
        for (final int origin : origins(rank)) {
            near.add(Peer.mapped(memories.get(origin)));
        }
        final PeerTable peers = new PeerTable(
                plan.nodes(),
                near,
                peer -> Peer.linked(peer, memories.get(peer).layout().dimensions()));
        final Map<Integer, SimulatedLink> own = links.get(rank);
        final DmaEngine.LinkSource source = new SimulatedLinks(rank, peers, own, unopened);
        final SimulatedNode node = nodes.get(rank);
        return NodeAccess.assemble(
                JobConfig.of("simulation", rank, plan.nodes()),
                config.withIdle(() -> new SimulatedIdle(scheduler, node)),
                memories.get(rank),
                peers,
                engine -> source,
                new SimulatedAttachment(rank));
    }

    /** Fails one end of a link, if there is one. Its node takes note at once. */
    void fail(int rank, int peer) {
        final SimulatedLink link = links.get(rank).get(peer);
        if (link != null) {
            link.fail();
            wake(rank, time.nowNs());
        }
    }

    /** Crashes a node, unless it is being closed: the call that closes it would never return. */
    void crash(int rank) {
        if (nodes.get(rank) != closing) {
            nodes.get(rank).crash();
            ledger.crash(rank);
        }
    }

    /** Notifies a node of the death of another, as the hub does. */
    void tellDead(int rank, int dead) {
        new PeerStates(memories.get(rank)).change(dead, PeerStates.DEAD);
        wake(rank, time.nowNs());
    }

    /** Closes the nodes that live, one after the other, as their application would. */
    void close() {
        for (final SimulatedNode one : nodes) {
            one.program(SimulatedProgram.NONE);
        }
        for (final SimulatedNode one : nodes) {
            if (!one.isCrashed()) {
                closing = one;
                one.node().close();
                closing = null;
                one.end();
            }
        }
    }

    /** Job of a simulated node. The other ranks know at once when the node has left or failed. */
    private final class SimulatedAttachment implements Attachment {
        private final int rank;
        private final Inquiries inquiries;

        SimulatedAttachment(int rank) {
            this.rank = rank;
            this.inquiries = SimulatedJob.this.inquiries.get(rank);
        }

        @Override
        public Inquiries inquiries() {
            return inquiries;
        }

        @Override
        public boolean isProcessGone(int peer) {
            return nodes.get(peer).isCrashed();
        }

        @Override
        public boolean isSilent() {
            return true;
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
                    wake(memory.rank(), time.nowNs());
                }
            }
        }

        @Override
        public void release() {
            // The simulation's memory is used again by the next one.
        }
    }
}
