package org.segno.simulator;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.EnumSet;
import java.util.List;
import java.util.SplittableRandom;
import org.segno.collective.Call;
import org.segno.collective.CollectiveKind;
import org.segno.engine.fault.CrashPoint;
import org.segno.engine.memory.NodeLayout;
import org.segno.node.NodeAccess;
import org.segno.node.NodeConfig;
import org.segno.status.StatusAccess;

/**
 * Job in which one member of a collective dies after some number of passes. The ranks take turns in a fixed order, of
 * one pass each; where crash points are on, of the part of a pass until the next landing. Virtual time goes on by the
 * same amount in each turn of all.
 */
final class DyingJob {
    /** Virtual time of a turn of all. Frames of links arrive after one or two turns. */
    private static final long TURN_NS = 20_000;

    /** More turns than any job needs. */
    private static final int MOST_TURNS = 20_000;

    private static final int WINDOW_BYTES = 32 * NodeLayout.PAGE;

    private final Scenario scenario;
    private final Death death;
    private final VirtualTime time = new VirtualTime(0);
    private final SimulatedJob job;
    private final List<DyingMember> members = new ArrayList<>();
    private final List<WaitingProgram> programs = new ArrayList<>();
    private boolean isReady;
    private boolean isDead;

    /**
     * A collective of all ranks.
     *
     * @param call what the members call
     * @param algorithm that carries it out
     * @param mapped number of ranks that have mapped each other's memory; the others have links
     * @param isQueued true if the second round is queued behind the first one
     */
    record Scenario(DrawnCall call, String algorithm, int mapped, boolean isQueued) {
        /** Returns the call of a member. */
        Call placed(int self) {
            return call.call(self).by(algorithm);
        }

        /** Returns the same call among fewer members. */
        DrawnCall among(int members) {
            final int length = call.block(0);
            return new DrawnCall(
                    call.number(),
                    call.kind(),
                    members,
                    Math.min(call.root(), members - 1),
                    lengths(call.kind(), members, length),
                    call.elements());
        }

        static long[] lengths(CollectiveKind kind, int members, long length) {
            final long[] lengths = new long[kind.isDivided() ? members : 1];
            Arrays.fill(lengths, length);
            return lengths;
        }

        @Override
        public String toString() {
            return call + " by " + algorithm + " among " + call.members() + " members, " + mapped
                    + " of which have mapped memory, " + (isQueued ? "queued" : "started");
        }
    }

    /**
     * Death of a member.
     *
     * @param victim the rank that dies
     * @param passes turns from the start of the first round until its death
     * @param noticeTurns turns from the death until the first survivor is notified, and between one and the next
     * @param isDescending true if the rank with the highest number has the first turn, and the last notice
     */
    record Death(int victim, int passes, int noticeTurns, boolean isDescending) {}

    private DyingJob(Scenario scenario, Death death) {
        this.scenario = scenario;
        this.death = death;
        final int nodes = scenario.call().members();
        final long seed = seed(nodes, scenario.mapped());
        final SimulationPlan plan =
                new SimulationPlan(seed, nodes, 0, Workload.COLLECTIVES, EnumSet.noneOf(Fault.class));
        final EventHash events = new EventHash(time, null);
        this.job = new SimulatedJob(
                plan, new SplittableRandom(seed), time, events, new Ledger(nodes, NodeLayout.PAGE, events));
    }

    /** Returns a seed with which a number of ranks have mapped memory, the first number that a job draws. */
    private static long seed(int nodes, int mapped) {
        long seed = 1;
        while (new SplittableRandom(seed).nextInt(nodes + 1) != mapped) {
            seed++;
        }
        return seed;
    }

    /**
     * Runs a job to its end, and checks all results.
     *
     * @return true if the rounds were complete everywhere before the death
     */
    static boolean run(Scenario scenario, Death death) {
        final DyingJob run = new DyingJob(scenario, death);
        StatusAccess.useClock(run.time::nowNs);
        try {
            return run.run();
        } catch (final RuntimeException | AssertionError e) {
            throw new AssertionError(scenario + ", " + death + ": " + e.getMessage(), e);
        } finally {
            StatusAccess.useClock(null);
            if (CrashPoint.ON) {
                CrashPoint.install(point -> {});
            }
            run.programs.forEach(WaitingProgram::end);
        }
    }

    /** Returns the names of the algorithms that can carry out a call. */
    static List<String> algorithms(DrawnCall call, int mapped) {
        final DyingJob run = new DyingJob(new Scenario(call, "", mapped, false), new Death(0, 0, 0, false));
        StatusAccess.useClock(run.time::nowNs);
        try {
            run.begin();
            return run.members.get(0).algorithms();
        } finally {
            StatusAccess.useClock(null);
            run.programs.forEach(WaitingProgram::end);
        }
    }

    /** Takes turns until all members have prepared the collective. */
    private void begin() {
        job.assemble(config());
        for (final SimulatedNode one : job.nodes()) {
            final DyingMember member = new DyingMember(one.node(), this);
            members.add(member);
            programs.add(new WaitingProgram("dying " + one, member::run, () -> {}, time::nowNs));
        }
        turnUntil(members.size());
    }

    private boolean run() {
        begin();
        isReady = true;
        if (CrashPoint.ON) {
            CrashPoint.install(point -> landed());
        }
        int passes = 0;
        boolean isOver = false;
        while (passes < death.passes() && !isOver) {
            turn();
            passes++;
            isOver = members.stream().allMatch(DyingMember::isOver);
        }
        isDead = true;
        job.crash(death.victim());
        for (int notified = 0; notified < members.size(); notified++) {
            for (int i = 0; i < death.noticeTurns(); i++) {
                turn();
            }
            notify(inOrder(notified));
        }
        for (int turns = 0; !isDone(); turns++) {
            assertThat(turns).as("turns after the death").isLessThan(MOST_TURNS);
            turn();
        }
        requireOneVerdict();
        return isOver;
    }

    /** Ends the turn of a rank in each landing of the rounds until the death, on the thread of its program. */
    private void landed() {
        final WaitingProgram program = WaitingProgram.current();
        if (program != null && !isDead) {
            program.pause();
        }
    }

    private void turnUntil(int ready) {
        for (int turns = 0; members.stream().filter(DyingMember::isReady).count() < ready; turns++) {
            assertThat(turns).as("turns until all are ready").isLessThan(MOST_TURNS);
            turn();
        }
    }

    private int inOrder(int turn) {
        return death.isDescending() ? members.size() - 1 - turn : turn;
    }

    private void turn() {
        time.advanceTo(time.nowNs() + TURN_NS);
        for (int i = 0; i < members.size(); i++) {
            final int rank = inOrder(i);
            if ((!isDead || rank != death.victim()) && !programs.get(rank).isDone()) {
                programs.get(rank).step();
            }
        }
    }

    private void notify(int rank) {
        if (rank != death.victim()) {
            job.fail(rank, death.victim());
            job.tellDead(rank, death.victim());
        }
    }

    private boolean isDone() {
        for (int rank = 0; rank < members.size(); rank++) {
            if (rank != death.victim() && !programs.get(rank).isDone()) {
                return false;
            }
        }
        return true;
    }

    /** Requires that the survivors have agreed on one round, which is complete at each. */
    private void requireOneVerdict() {
        final List<DyingMember> survivors = new ArrayList<>(members);
        survivors.remove(death.victim());
        final long agreed = survivors.get(0).agreed();
        assertThat(survivors).extracting(DyingMember::agreed).containsOnly(agreed);
        assertThat(agreed)
                .as("round that all know to be complete")
                .isGreaterThanOrEqualTo(
                        survivors.stream().mapToInt(DyingMember::reported).min().orElseThrow())
                .isLessThanOrEqualTo(
                        survivors.stream().mapToLong(DyingMember::known).min().orElseThrow());
        for (final DyingMember survivor : survivors) {
            assertThat(survivor.known()).isBetween((long) survivor.reported(), (long) survivor.entered());
        }
    }

    /** Requires that all members have entered a round of a barrier. */
    void requireEntered(long round) {
        assertThat(members)
                .allSatisfy(member ->
                        assertThat(member.entered()).as("round entered").isGreaterThanOrEqualTo((int) round));
    }

    private NodeConfig config() {
        return NodeAccess.builtInConfig()
                .withThreading(NodeConfig.Threading.INVOKER)
                .withContexts(1)
                .withFifos(2)
                .withFifoSlots(32)
                .withPatternBufferBytes(32 << 10)
                .withPatterns(32)
                .withRunSlots(8)
                .withCounters(8, 96)
                .withLaneBudgetBytes((long) NodeLayout.PAGE * members())
                .withWindowBytes(WINDOW_BYTES);
    }

    private int members() {
        return scenario.call().members();
    }

    Scenario scenario() {
        return scenario;
    }

    int victim() {
        return death.victim();
    }

    /** Returns true once the collective is prepared at all members. */
    boolean isReady() {
        return isReady;
    }

    boolean isDead() {
        return isDead;
    }
}
