package org.segno.tools.run;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.junit.jupiter.api.Test;

final class FateTest {
    private final Fate zero = new Fate(0);
    private final Fate one = new Fate(1);
    private final Fate two = new Fate(2);
    private final List<Fate> all = List.of(zero, one, two);

    @Test
    void shouldFindNoFailureWhenAllEndWithZero() {
        all.forEach(fate -> fate.exited(0, 10));

        assertThat(Fate.firstToFail(all, true)).isNull();
    }

    @Test
    void shouldNameTheFirstInTimeAndNotTheLowestRank() {
        two.exited(3, 10);
        zero.exited(1, 20);

        assertThat(Fate.firstToFail(all, false)).isSameAs(two);
    }

    @Test
    void shouldNameTheLowestRankAtEqualTimes() {
        two.exited(3, 10);
        one.exited(4, 10);

        assertThat(Fate.firstToFail(all, false)).isSameAs(one);
    }

    @Test
    void shouldNotCountARankThatWasToldToEndWhateverItEndsWith() {
        zero.told(false, 5);
        zero.exited(1, 10);
        one.told(false, 5);
        one.told(true, 6);
        one.exited(137, 11);
        two.exited(7, 12);

        assertThat(Fate.firstToFail(all, true)).isSameAs(two);
    }

    @Test
    void shouldTakeTheEndOfTheLifelineAsTheTimeOfTheFailure() {
        zero.dead(10);
        one.exited(1, 12);
        one.dead(11);
        zero.told(false, 13);
        two.told(false, 13);
        zero.exited(137, 14);
        two.exited(143, 15);

        assertThat(Fate.firstToFail(all, false)).isSameAs(zero);
    }

    @Test
    void shouldWaitForTheStatusOfARankThatLostItsLifelineBeforeTheFirstThatEnded() {
        zero.dead(10);
        one.exited(1, 12);

        assertThat(Fate.firstToFail(all, false)).isNull();
        assertThat(Fate.firstToFail(all, true)).isSameAs(one);
    }

    @Test
    void shouldNotCountARankThatLostItsLifelineAndEndedAsItWasTold() {
        zero.dead(10);
        one.exited(1, 12);
        zero.told(false, 13);
        zero.exited(143, 14);

        assertThat(Fate.firstToFail(all, true)).isSameAs(one);
    }

    @Test
    void shouldNotCountARankThatLeftWithoutGoodbyeAndEndedWithZero() {
        zero.dead(10);
        zero.exited(0, 11);
        one.exited(2, 12);

        assertThat(Fate.firstToFail(all, true)).isSameAs(one);
    }

    @Test
    void shouldNameTheSignalThatAStatusStandsFor() {
        assertThat(Fate.describe(3)).isEqualTo("3");
        assertThat(Fate.describe(137)).isEqualTo("137 (signal 9, KILL)");
        assertThat(Fate.describe(150)).isEqualTo("150 (signal 22)");
    }
}
