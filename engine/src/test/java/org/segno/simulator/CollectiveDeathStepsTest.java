package org.segno.simulator;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.segno.collective.CollectiveKind;
import org.segno.combine.ElementType;
import org.segno.combine.Operator;
import org.segno.simulator.DrawnCall.Elements;
import org.segno.simulator.DyingJob.Death;
import org.segno.simulator.DyingJob.Scenario;

/**
 * Death of each member of small geometries, after each pass of two rounds of each collective by each algorithm. All
 * survivors end, agree on the last complete round, and use the geometry that is left.
 */
class CollectiveDeathStepsTest {
    private static final int MOST_MEMBERS = 4;

    /** Distance of the passes that each build tries. */
    private static final int SAMPLE = 41;

    /** Ways of notifying the survivors: at once or by and by, from the first rank on or from the last. */
    private static final int NOTICES = 6;

    private static final int DELAYS = 3;

    /** Turns between the notices of two survivors. */
    private static final int DELAY = 4;

    private static final int MOST_FAILURES = 5;

    /** Lengths of a block: one frame of a link holds the first, the second needs several. */
    private static final int SHORT = 64;

    private static final int LONG = 704;

    private final List<AssertionError> failures = new ArrayList<>();
    private int scenarios;
    private int jobs;

    /**
     * Kills members after every {@code stride}-th pass; the first one differs from scenario to scenario, and the notices
     * of the death differ from one to the next, from those of {@code notice} on.
     */
    private void killAll(int length, int stride, int notice) {
        for (int members = 2; members <= MOST_MEMBERS; members++) {
            // None, some and all ranks have mapped the memory of others.
            for (int mapped = 0; mapped <= members; mapped += mapped == 0 ? 2 : Math.max(1, members - mapped)) {
                for (final CollectiveKind kind : CollectiveKind.values()) {
                    final DrawnCall call = call(kind, members, length);
                    for (final String algorithm : DyingJob.algorithms(call, mapped)) {
                        kill(new Scenario(call, algorithm, mapped, false), stride, notice);
                        if (kind != CollectiveKind.BARRIER) {
                            kill(new Scenario(call, algorithm, mapped, true), stride, notice);
                        }
                    }
                }
            }
        }
        assertThat(failures).as("of %d jobs", jobs).isEmpty();
    }

    private void kill(Scenario scenario, int stride, int notice) {
        scenarios++;
        for (int victim = 0; victim < scenario.call().members(); victim++) {
            boolean isOver = false;
            for (int passes = scenarios * 5 % stride; !isOver && failures.size() < MOST_FAILURES; passes += stride) {
                final int variant = notice + scenarios + victim + passes;
                final Death death = new Death(victim, passes, variant % DELAYS * DELAY, variant % 2 == 0);
                jobs++;
                try {
                    isOver = DyingJob.run(scenario, death);
                } catch (final AssertionError e) {
                    failures.add(e);
                }
            }
        }
    }

    private static DrawnCall call(CollectiveKind kind, int members, int length) {
        final @Nullable Elements elements = !kind.isReduction()
                ? null
                : kind == CollectiveKind.ALLREDUCE
                        ? new Elements(ElementType.LONG, Operator.SUM)
                        : new Elements(ElementType.LONG_PAIR, null);
        // Long enough for a line of each member in an allreduce that is divided.
        final int bytes = kind == CollectiveKind.ALLREDUCE ? Math.max(length, 64 * members) : length;
        return new DrawnCall(1, kind, members, members / 2, Scenario.lengths(kind, members, bytes), elements);
    }

    @Test
    @Timeout(120)
    void shouldEndInOneWayAtAllSurvivorsAfterADeathInSomePass() {
        killAll(SHORT, SAMPLE, 0);
        assertThat(jobs).isGreaterThan(300);
    }

    @ParameterizedTest
    @CsvSource({SHORT + ", " + NOTICES, LONG + ", 1"})
    @Tag("stress")
    @Timeout(1800)
    void shouldEndInOneWayAtAllSurvivorsAfterADeathInAnyPass(int length, int notices) {
        for (int notice = 0; notice < notices; notice++) {
            killAll(length, 1, notice);
        }
        assertThat(jobs).isGreaterThan(4_000 * notices);
    }
}
