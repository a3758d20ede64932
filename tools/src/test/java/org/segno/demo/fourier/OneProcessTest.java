package org.segno.demo.fourier;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.stream.DoubleStream;
import org.assertj.core.data.Offset;
import org.junit.jupiter.api.Test;

class OneProcessTest {
    private static final int GRID = 4;

    @Test
    void shouldComputeTheTransformOfTheDefinition() {
        final double[] before = OneProcess.points(GRID);
        final double[] points = before.clone();
        OneProcess.forward(points, GRID);

        for (int k = 0; k < GRID * GRID * GRID; k++) {
            double real = 0;
            double imaginary = 0;
            for (int i = 0; i < GRID * GRID * GRID; i++) {
                final int turns = (i % GRID) * (k % GRID)
                        + (i / GRID % GRID) * (k / GRID % GRID)
                        + (i / GRID / GRID) * (k / GRID / GRID);
                final double angle = -2 * Math.PI * turns / GRID;
                real += before[2 * i] * Math.cos(angle) - before[2 * i + 1] * Math.sin(angle);
                imaginary += before[2 * i] * Math.sin(angle) + before[2 * i + 1] * Math.cos(angle);
            }
            assertThat(points[2 * k]).isCloseTo(real, Offset.offset(1e-12));
            assertThat(points[2 * k + 1]).isCloseTo(imaginary, Offset.offset(1e-12));
        }
    }

    @Test
    void shouldGenerateDifferentPointsBetweenMinusOneAndOne() {
        assertThat(OneProcess.points(GRID)).doesNotHaveDuplicates();
        assertThat(DoubleStream.of(OneProcess.points(GRID))).allMatch(value -> Math.abs(value) <= 1);
    }
}
