package org.segno.demo.fourier;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.SplittableRandom;
import org.assertj.core.data.Offset;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class LineTransformTest {
    private static final Offset<Double> CLOSE = Offset.offset(1e-11);

    @ParameterizedTest
    @ValueSource(ints = {1, 2, 4, 8, 32, 128})
    void shouldComputeTheTransformOfTheDefinitionAndItsInverse(int length) {
        final double[] before =
                new SplittableRandom(length).doubles(6L + 2L * length, -1, 1).toArray();
        final double[] line = before.clone();
        final LineTransform transform = new LineTransform(length);

        transform.forward(line, 4);
        for (int k = 0; k < length; k++) {
            double real = 0;
            double imaginary = 0;
            for (int i = 0; i < length; i++) {
                final double angle = -2 * Math.PI * i * k / length;
                final double a = before[4 + 2 * i];
                final double b = before[5 + 2 * i];
                real += a * Math.cos(angle) - b * Math.sin(angle);
                imaginary += a * Math.sin(angle) + b * Math.cos(angle);
            }
            assertThat(line[4 + 2 * k]).isCloseTo(real, CLOSE);
            assertThat(line[5 + 2 * k]).isCloseTo(imaginary, CLOSE);
        }

        transform.backward(line, 4);
        assertThat(line).containsExactly(before, CLOSE);
    }
}
