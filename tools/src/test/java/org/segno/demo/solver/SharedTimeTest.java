package org.segno.demo.solver;

import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

class SharedTimeTest {
    private static final long HOUR_NS = TimeUnit.HOURS.toNanos(1);

    @Test
    void shouldLastUntilItsLimit() {
        assertTrue(SharedTime.begin(Sums.OWN, HOUR_NS).lasts());
        assertFalse(SharedTime.begin(Sums.OWN, 0).lasts());
    }

    @Test
    void shouldEndForAllRanksWhenItEndsForOne() {
        final Sums withAnotherRankAtItsLimit = values -> values[0] += 1;

        assertFalse(SharedTime.begin(withAnotherRankAtItsLimit, HOUR_NS).lasts());
    }
}
