package org.segno.simulator;

import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.segno.collective.CollectiveKind;
import org.segno.combine.ElementType;
import org.segno.combine.Operator;
import org.segno.simulator.DrawnCall.Elements;
import org.segno.simulator.DyingJob.Death;
import org.segno.simulator.DyingJob.Scenario;

/**
 * Deaths of each member of jobs of 2 to 4 ranks in two rounds of each collective by each algorithm: each death in a job
 * of its own.
 */
final class MemberDeaths {
    /** Lengths of a block: one frame of a link holds the first, the second needs several. */
    static final int SHORT = 64;

    static final int LONG = 704;

    /** Ways of notifying the survivors: at once or by and by, from the first rank on or from the last. */
    static final int NOTICES = 6;

    private static final int DELAYS = 3;

    /** Turns between the notices of two survivors. */
    private static final int DELAY = 4;

    static final int MOST_MEMBERS = 4;
    private static final int MOST_FAILURES = 5;

    /** Value of {@code turn} with which each member dies. */
    static final int EACH_MEMBER = -1;

    /** Distance of the passes from which two successive scenarios begin. */
    private static final int SHIFT = 5;

    private final int length;
    private final int stride;
    private final int first;
    private final int turn;
    private final List<String> failures = new ArrayList<>();
    private int scenarios;
    private int jobs;

    /**
     * Creates deaths after every {@code stride}-th pass. With {@code first} from 0 to {@code stride - 1}, members die
     * after every pass.
     *
     * @param length of a block in bytes
     * @param first selects the first pass, which differs from scenario to scenario
     * @param turn selects the only member that dies, which differs from scenario to scenario; with each turn from 0 to
     *     {@code MOST_MEMBERS - 1} each member dies. Otherwise {@link #EACH_MEMBER}
     */
    MemberDeaths(int length, int stride, int first, int turn) {
        this.turn = turn;
        this.length = length;
        this.stride = stride;
        this.first = first;
    }

    /** Returns the number of jobs that have been run. */
    int jobs() {
        return jobs;
    }

    /**
     * Runs all jobs.
     *
     * @param notice selects the way of notifying survivors, which differs from death to death
     * @return the first failures
     */
    List<String> run(int notice) {
        for (int members = 2; members <= MOST_MEMBERS; members++) {
            runAmong(members, notice);
        }
        return failures;
    }

    /** Runs the jobs of {@code members} ranks, as {@link #run}. */
    List<String> runAmong(int members, int notice) {
        // None, some and all ranks have mapped the memory of others.
        for (int mapped = 0; mapped <= members; mapped += mapped == 0 ? 2 : Math.max(1, members - mapped)) {
            for (final CollectiveKind kind : CollectiveKind.values()) {
                final DrawnCall call = call(kind, members);
                for (final String algorithm : DyingJob.algorithms(call, mapped)) {
                    kill(new Scenario(call, algorithm, mapped, false), notice);
                    if (kind != CollectiveKind.BARRIER) {
                        kill(new Scenario(call, algorithm, mapped, true), notice);
                    }
                }
            }
        }
        return failures;
    }

    private void kill(Scenario scenario, int notice) {
        scenarios++;
        final int members = scenario.call().members();
        for (int victim = 0; victim < members; victim++) {
            if (turn != EACH_MEMBER && victim != (turn + scenarios) % members) {
                continue;
            }
            boolean isOver = false;
            int passes = (first + scenarios * SHIFT) % stride;
            while (!isOver && failures.size() < MOST_FAILURES) {
                final int variant = notice + scenarios + victim + passes;
                final Death death = new Death(victim, passes, variant % DELAYS * DELAY, variant % 2 == 0);
                isOver = isOverBefore(scenario, death);
                passes += stride;
            }
        }
    }

    private boolean isOverBefore(Scenario scenario, Death death) {
        jobs++;
        try {
            return DyingJob.run(scenario, death);
        } catch (final AssertionError e) {
            failures.add(String.valueOf(e.getMessage()));
            return false;
        }
    }

    private DrawnCall call(CollectiveKind kind, int members) {
        final @Nullable Elements elements = !kind.isReduction()
                ? null
                : kind == CollectiveKind.ALLREDUCE
                        ? new Elements(ElementType.LONG, Operator.SUM)
                        : new Elements(ElementType.LONG_PAIR, null);
        // Long enough for a line of each member in an allreduce that is divided.
        final int bytes = kind == CollectiveKind.ALLREDUCE ? Math.max(length, 64 * members) : length;
        return new DrawnCall(1, kind, members, members / 2, Scenario.lengths(kind, members, bytes), elements);
    }
}
