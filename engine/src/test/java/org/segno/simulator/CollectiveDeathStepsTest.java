package org.segno.simulator;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.segno.simulator.SeededDefect.Finding;

/**
 * Death of each member of small geometries at each step of each collective by each algorithm. All survivors end, agree
 * on the last complete round, and use the geometry that is left.
 *
 * <p>Rounds are started and queued, over memory, links and both. A step is a pass of all members; between two landings
 * of a pass others may run.
 *
 * <ul>
 *   <li>Each build: each member of two after each pass, and each member of three after every 19th pass.
 *   <li>Profile {@code long}: each member of three after each pass; one member of two to four after every 41st pass,
 *       and between some landings.
 *   <li>Profile {@code stress}: each member of two to four after each pass, with short blocks in each way of notifying
 *       the survivors and with long blocks in one, and between any landings.
 * </ul>
 */
class CollectiveDeathStepsTest {
    /** Distance of the passes of a sample. */
    private static final int SAMPLE = 41;

    /** Distance of the passes of a sample in which each member dies. */
    private static final int FEW = 19;

    /** Not a defect: lets the engine call the tests in each landing. */
    private static final Canary LANDINGS = new Canary(
            "crash points are on", "engine.fault.CrashPoint", "Boolean.getBoolean(\"segno.crash-points\")", "true");

    @Test
    @Timeout(120)
    void shouldEndAtTheSurvivorOfTwoAfterADeathInAnyPass() {
        final MemberDeaths deaths = new MemberDeaths(MemberDeaths.SHORT, 1, 0, MemberDeaths.EACH_MEMBER);
        assertThat(deaths.runAmong(2, 0)).isEmpty();
        assertThat(deaths.jobs()).isGreaterThan(1_500);
    }

    @Test
    @Timeout(120)
    void shouldEndInOneWayAtBothSurvivorsOfThreeAfterADeathInSomePass() {
        final MemberDeaths deaths = new MemberDeaths(MemberDeaths.SHORT, FEW, 0, MemberDeaths.EACH_MEMBER);
        assertThat(deaths.runAmong(3, 0)).isEmpty();
        assertThat(deaths.jobs()).isGreaterThan(300);
    }

    @Test
    @Tag("long")
    @Timeout(300)
    void shouldEndInOneWayAtBothSurvivorsOfThreeAfterADeathInAnyPass() {
        final MemberDeaths deaths = new MemberDeaths(MemberDeaths.SHORT, 1, 0, MemberDeaths.EACH_MEMBER);
        assertThat(deaths.runAmong(3, 0)).isEmpty();
        assertThat(deaths.jobs()).isGreaterThan(4_000);
    }

    @Test
    @Tag("long")
    @Timeout(120)
    void shouldEndInOneWayAtAllSurvivorsAfterADeathInSomePass() {
        final MemberDeaths deaths = new MemberDeaths(MemberDeaths.SHORT, SAMPLE, 0, 0);
        assertThat(deaths.run(0)).isEmpty();
        assertThat(deaths.jobs()).isGreaterThan(100);
    }

    @ParameterizedTest
    @CsvSource({MemberDeaths.SHORT + ", " + MemberDeaths.NOTICES, MemberDeaths.LONG + ", 1"})
    @Tag("stress")
    @Timeout(1800)
    void shouldEndInOneWayAtAllSurvivorsAfterADeathInAnyPass(int length, int notices) {
        for (int notice = 0; notice < notices; notice++) {
            final MemberDeaths deaths = new MemberDeaths(length, 1, 0, MemberDeaths.EACH_MEMBER);
            assertThat(deaths.run(notice)).isEmpty();
            assertThat(deaths.jobs()).isGreaterThan(4_000);
        }
    }

    @Test
    @Tag("long")
    @Timeout(120)
    void shouldEndInOneWayAtAllSurvivorsAfterADeathBetweenSomeLandings() {
        assertThat(SeededDefect.in(LANDINGS, LandingDeathRun.class).find(1)).isEqualTo(Finding.NONE);
    }

    @Test
    @Tag("stress")
    @Timeout(3600)
    void shouldEndInOneWayAtAllSurvivorsAfterADeathBetweenAnyLandings() {
        assertThat(SeededDefect.in(LANDINGS, LandingDeathRun.class).find(LandingDeathRun.SEEDS))
                .isEqualTo(Finding.NONE);
    }
}
