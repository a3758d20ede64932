package org.segno.simulator;

import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.TimeUnit;
import org.agrona.BitUtil;
import org.jspecify.annotations.Nullable;
import org.segno.engine.memory.NodeLayout;
import org.segno.node.NodeAccess;
import org.segno.node.NodeConfig;
import org.segno.status.StatusAccess;

/**
 * One simulation of a job: its nodes carry out their programs while faults happen, until everything is complete. Then
 * the nodes close.
 */
public final class Simulation {
    /** Virtual time within which everything must be complete. Faults take up to three seconds. */
    private static final long LIMIT_NS = TimeUnit.SECONDS.toNanos(10);

    /** Virtual time for each step of a long script of collectives, some of which wait in vain for room. */
    private static final long STEP_LIMIT_NS = TimeUnit.MILLISECONDS.toNanos(25);

    /** The same over slow links: 128 KiB in the smallest packets take 60 ms there. */
    private static final long SLOW_STEP_LIMIT_NS = TimeUnit.MILLISECONDS.toNanos(150);

    /** Virtual time within which all nodes must be closed, which is less than a close waits for lost ranks. */
    private static final long CLOSE_LIMIT_NS = TimeUnit.SECONDS.toNanos(4);

    /** Injection counters of a node beside those of its operations with each peer. */
    private static final int INJECTION_COUNTERS = 32;

    private static final int RECEPTION_COUNTERS = 24;
    private static final int MESSENGER_BYTES = 8 * 1024;
    private static final int EAGER_BYTES = 400;
    private static final int WRAP_NS = 10_000_000;

    /** Bytes for windows of geometries and collectives. */
    private static final int COLLECTIVE_BYTES = 512 * 1024;

    private final SimulationPlan plan;
    private final SplittableRandom random;
    private final VirtualTime time;
    private final EventHash events;
    private final Ledger ledger;
    private final MixedLayout layout;
    private final SimulatedJob job;
    private final List<SimulatedProgram> programs = new ArrayList<>();
    private @Nullable CollectiveRun collectives;

    /** A node that is probably not done. */
    private int unfinished;

    private Simulation(SimulationPlan plan, @Nullable SimulationObserver observer) {
        this.plan = plan;
        this.random = new SplittableRandom(plan.seed());
        final SplittableRandom wrap = Fault.WRAP.random(plan.seed());
        this.time = new VirtualTime(plan.has(Fault.WRAP) ? Long.MAX_VALUE - wrap.nextInt(WRAP_NS) : 0);
        this.events = new EventHash(time, observer);
        this.layout = new MixedLayout(plan.nodes());
        this.ledger = new Ledger(plan.nodes(), layout.windowBytes(), events);
        this.job = new SimulatedJob(plan, random, time, events, ledger);
    }

    /** Runs a simulation on this thread. */
    public static SimulationResult run(SimulationPlan plan) {
        return run(plan, null);
    }

    /**
     * Runs a simulation on this thread. What an engine or a program throws is a defect of the result.
     *
     * @param observer receives the events; null for none
     */
    public static SimulationResult run(SimulationPlan plan, @Nullable SimulationObserver observer) {
        final Simulation simulation = new Simulation(plan, observer);
        StatusAccess.useClock(simulation.time::nowNs);
        try {
            return simulation.run();
        } finally {
            StatusAccess.useClock(null);
        }
    }

    /** Returns the length of the largest file that a node of a plan would have. */
    static long fileBytes(SimulationPlan plan) {
        final Simulation simulation = new Simulation(plan, null);
        return NodeAccess.layout(simulation.config(), plan.nodes(), simulation.job.mapped())
                .fileLength();
    }

    private SimulationResult run() {
        final long startNs = time.nowNs();
        long virtualNs = 0;
        try {
            begin();
            virtualNs = runToTheEnd(startNs);
            ledger.checkComplete();
            for (int rank = 0; rank < plan.nodes(); rank++) {
                if (!job.nodes().get(rank).isCrashed()) {
                    programs.get(rank).check();
                }
            }
            final long closingNs = time.nowNs();
            job.close();
            if (time.nowNs() - closingNs > CLOSE_LIMIT_NS && !mayCloseLate()) {
                ledger.defect("closing took " + TimeUnit.NANOSECONDS.toMillis(time.nowNs() - closingNs) + " ms");
            }
        } catch (final RuntimeException | AssertionError e) {
            ledger.defect(e + " at " + List.of(e.getStackTrace()).subList(0, Math.min(3, e.getStackTrace().length)));
        }
        programs.forEach(SimulatedProgram::end);
        return new SimulationResult(
                plan, ledger.messages(), virtualNs, events.value(), ledger.checks(), ledger.defects());
    }

    /** Returns true if rounds may be held for ranks that live, but have given up. */
    private boolean mayCloseLate() {
        return collectives != null && collectives.isTorn();
    }

    private boolean isOfCollectives() {
        return plan.workload().isOfCollectives();
    }

    /** Assembles the job and begins its programs. */
    private void begin() {
        job.assemble(config());
        if (isOfCollectives()) {
            addMembers();
        } else {
            addMixed();
        }
        programs.forEach(SimulatedProgram::begin);
        for (int rank = 0; rank < plan.nodes(); rank++) {
            job.nodes().get(rank).program(programs.get(rank));
        }
        if (!isOfCollectives()) {
            beginFaults();
        }
    }

    private void beginFaults() {
        job.scheduler().faults(FaultPlan.draw(plan, job));
    }

    private void addMixed() {
        for (final SimulatedNode one : job.nodes()) {
            final int rest = plan.operations() % plan.nodes();
            final int share = plan.operations() / plan.nodes() + (programs.size() < rest ? 1 : 0);
            final MixedParts parts = MixedParts.of(one.node(), plan.bounds().longest(), ledger, events, random.split());
            programs.add(new MixedWorkload(plan, parts, share));
        }
    }

    private void addMembers() {
        final int steps = plan.operations() / plan.nodes();
        final CollectiveRun run = new CollectiveRun(plan, steps, job, this::beginFaults);
        collectives = run;
        for (final SimulatedNode one : job.nodes()) {
            final CollectiveScript script = new CollectiveScript(plan);
            final CollectiveMember member = new CollectiveMember(one.node(), run, script, random.split());
            programs.add(new WaitingProgram("simulated " + one, member::run, run::stop, time::nowNs));
        }
    }

    private NodeConfig config() {
        return isOfCollectives() ? collectiveConfig() : mixedConfig();
    }

    private NodeConfig commonConfig() {
        final int drawnSlots = 1 << random.nextInt(2, 7);
        final int chosenSlots = plan.bounds().fifoSlots();
        return NodeAccess.builtInConfig()
                .withThreading(NodeConfig.Threading.INVOKER)
                .withContexts(1)
                .withFifoSlots(chosenSlots > 0 ? chosenSlots : plan.has(Fault.SMALL) ? 2 : drawnSlots);
    }

    private NodeConfig mixedConfig() {
        final boolean isSmall = plan.has(Fault.SMALL);
        return commonConfig()
                .withFifos(4)
                .withPatternBufferBytes(isSmall ? 4_096 : 16 * 1024)
                .withPatterns(8)
                .withRunSlots(isSmall ? 2 : 4)
                .withCounters(MixedCompletions.counters(plan.nodes()) + INJECTION_COUNTERS, RECEPTION_COUNTERS)
                .withEagerLimitBytes(EAGER_BYTES)
                .withLaneBudgetBytes((long) NodeLayout.PAGE * (isSmall ? job.mapped() : plan.nodes()))
                .withWindowBytes(BitUtil.align(
                        layout.windowBytes() + layout.otherWindowBytes() + MESSENGER_BYTES, NodeLayout.PAGE));
    }

    private NodeConfig collectiveConfig() {
        final boolean isSmall = plan.has(Fault.SMALL);
        return commonConfig()
                .withFifos(2)
                .withPatternBufferBytes((isSmall ? 16L : 64L) * 1024)
                .withPatterns(64)
                .withRunSlots(1 << random.nextInt(1, 5))
                .withCounters(8, isSmall ? 96 : 256)
                .withLaneBudgetBytes((long) NodeLayout.PAGE * plan.nodes())
                .withWindowBytes(BitUtil.align(CollectiveMember.placeBytes() + COLLECTIVE_BYTES, NodeLayout.PAGE));
    }

    private long runToTheEnd(long startNs) {
        while (!isComplete()) {
            if (time.nowNs() - startNs > limitNs()) {
                ledger.defect("not complete after " + TimeUnit.NANOSECONDS.toSeconds(limitNs()) + " s: "
                        + job.nodes().stream().filter(node -> !node.isDone()).toList());
                break;
            }
            job.scheduler().turn();
        }
        return time.nowNs() - startNs;
    }

    private long limitNs() {
        final long stepNs = plan.has(Fault.SLOW) ? SLOW_STEP_LIMIT_NS : STEP_LIMIT_NS;
        return isOfCollectives() ? Math.max(LIMIT_NS, plan.operations() / plan.nodes() * stepNs) : LIMIT_NS;
    }

    private boolean isComplete() {
        final List<SimulatedNode> nodes = job.nodes();
        // From the node that was not done the last time: it rarely is now.
        for (int checked = 0; checked < nodes.size(); checked++) {
            if (!nodes.get(unfinished).isDone()) {
                return false;
            }
            unfinished = unfinished + 1 == nodes.size() ? 0 : unfinished + 1;
        }
        return ledger.isComplete();
    }
}
