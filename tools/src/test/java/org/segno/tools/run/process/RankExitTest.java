package org.segno.tools.run.process;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.junit.jupiter.api.Test;

final class RankExitTest {
    private final RankExit zero = new RankExit(0);
    private final RankExit one = new RankExit(1);
    private final RankExit two = new RankExit(2);
    private final List<RankExit> all = List.of(zero, one, two);

    @Test
    void shouldFindNoFailureWhenAllEndWithZero() {
        all.forEach(exit -> exit.exited(0, 10));

        assertThat(RankExit.firstToFail(all, true)).isNull();
    }

    @Test
    void shouldNameTheFirstInTimeAndNotTheLowestRank() {
        two.exited(3, 10);
        zero.exited(1, 20);

        assertThat(RankExit.firstToFail(all, false)).isSameAs(two);
    }

    @Test
    void shouldNameTheLowestRankAtEqualTimes() {
        two.exited(3, 10);
        one.exited(4, 10);

        assertThat(RankExit.firstToFail(all, false)).isSameAs(one);
    }

    @Test
    void shouldNotCountARankThatASignalEndedWithAnyStatus() {
        zero.signalled(false, 5);
        zero.exited(1, 10);
        one.signalled(false, 5);
        one.signalled(true, 6);
        one.exited(137, 11);
        two.exited(7, 12);

        assertThat(RankExit.firstToFail(all, true)).isSameAs(two);
    }

    @Test
    void shouldTakeTheEndOfTheConnectionAsTheTimeOfTheFailure() {
        zero.dead(10);
        one.exited(1, 12);
        one.dead(11);
        zero.signalled(false, 13);
        two.signalled(false, 13);
        zero.exited(137, 14);
        two.exited(143, 15);

        assertThat(RankExit.firstToFail(all, false)).isSameAs(zero);
    }

    @Test
    void shouldWaitForTheStatusOfARankThatLostItsConnectionBeforeTheFirstThatEnded() {
        zero.dead(10);
        one.exited(1, 12);

        assertThat(RankExit.firstToFail(all, false)).isNull();
        assertThat(RankExit.firstToFail(all, true)).isSameAs(one);
    }

    @Test
    void shouldNotCountARankThatLostItsConnectionAndEndedByASignal() {
        zero.dead(10);
        one.exited(1, 12);
        zero.signalled(false, 13);
        zero.exited(143, 14);

        assertThat(RankExit.firstToFail(all, true)).isSameAs(one);
    }

    @Test
    void shouldNotCountARankThatLeftWithoutGoodbyeAndEndedWithZero() {
        zero.dead(10);
        zero.exited(0, 11);
        one.exited(2, 12);

        assertThat(RankExit.firstToFail(all, true)).isSameAs(one);
    }

    @Test
    void shouldNameTheSignalThatAStatusStandsFor() {
        assertThat(RankExit.describe(3)).isEqualTo("3");
        assertThat(RankExit.describe(137)).isEqualTo("137 (signal 9, KILL)");
        assertThat(RankExit.describe(150)).isEqualTo("150 (signal 22)");
    }
}
