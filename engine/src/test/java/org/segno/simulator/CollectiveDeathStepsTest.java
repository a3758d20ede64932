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
 */
class CollectiveDeathStepsTest {
    /** Distance of the passes of a sample. */
    private static final int SAMPLE = 41;

    /** Not a defect: lets the engine call the tests in each landing. */
    private static final Canary LANDINGS = new Canary(
            "crash points are on", "engine.fault.CrashPoint", "Boolean.getBoolean(\"segno.crash-points\")", "true");

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
