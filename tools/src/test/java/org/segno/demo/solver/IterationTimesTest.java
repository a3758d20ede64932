package org.segno.demo.solver;

import static org.junit.jupiter.api.Assertions.assertEquals;

import org.junit.jupiter.api.Test;

class IterationTimesTest {
    @Test
    void shouldReturnMediansInMicroseconds() {
        final IterationTimes times = new IterationTimes(10);
        times.add(10_000, 1_000, 500);
        times.add(90_000, 5_000, 100);
        times.add(20_000, 2_000, 900_000);

        assertEquals(20, times.computeMicros());
        assertEquals(2, times.exchangeMicros());
        assertEquals(0.5, times.reduceMicros());
        assertEquals(5.1, times.communicationMicros());
        assertEquals(95.1, times.totalMicros());
    }

    @Test
    void shouldReturnTheMeanOfTwo() {
        final IterationTimes times = new IterationTimes(2);
        times.add(1_000, 0, 0);
        times.add(4_000, 0, 0);

        assertEquals(2.5, times.totalMicros());
    }

    @Test
    void shouldDropAllThatWasStored() {
        final IterationTimes times = new IterationTimes(2);
        times.add(1_000, 0, 0);
        times.clear();
        times.add(3_000, 0, 0);

        assertEquals(1, times.count());
        assertEquals(3, times.totalMicros());
    }

    @Test
    void shouldStoreNoMoreThanItsCapacity() {
        final IterationTimes times = new IterationTimes(1);
        times.add(1_000, 0, 0);
        times.add(9_000, 0, 0);

        assertEquals(1, times.totalMicros());
        assertEquals(0, new IterationTimes(0).totalMicros());
    }
}
