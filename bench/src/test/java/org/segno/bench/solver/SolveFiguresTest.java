package org.segno.bench.solver;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.util.List;
import org.junit.jupiter.api.Test;

class SolveFiguresTest {
    private static final SolveFigures DEMO = new SolveFigures(70, 5e-9, 6, 40, 30, 4, 5);

    @Test
    void shouldReadTheOutputOfBothPrograms() throws IOException {
        assertThat(SolveFigures.ofDemo("{\"program\": \"cg\", \"iterations\": 70, \"relativeResidual\": 5.0E-9,"
                        + " \"slowestIterationMicros\": 40.0, \"computeMicros\": 30.0, \"exchangeMicros\": 4.0,"
                        + " \"reduceMicros\": 5.0, \"haloMessages\": 6}"))
                .isEqualTo(DEMO);
        assertThat(SolveFigures.ofMpi(List.of("a warning", "cg 70 1e-6 4e10 6 40000 30000 4000 5000")))
                .isEqualTo(DEMO);
    }

    @Test
    void shouldReportOutputWithoutFigures() {
        assertThatThrownBy(() -> SolveFigures.ofDemo("{}"))
                .isInstanceOf(IOException.class)
                .hasMessageContaining("no iterations");
        assertThatThrownBy(() -> SolveFigures.ofMpi(List.of("a warning")))
                .isInstanceOf(IOException.class)
                .hasMessageContaining("no figures: a warning");
    }

    @Test
    void shouldAcceptRoundingAndRefuseOtherDifferences() {
        assertThatCode(() -> DEMO.checkEqual(other(70, 5.000004e-9, 6))).doesNotThrowAnyException();
        for (final SolveFigures other : List.of(other(70, 5.00001e-9, 6), other(71, 5e-9, 6), other(70, 5e-9, 8))) {
            assertThatThrownBy(() -> DEMO.checkEqual(other))
                    .isInstanceOf(UnequalSolveException.class)
                    .hasMessageContaining("residual 5.000000000e-09 after 70 iterations with 6 messages");
        }
        assertThatThrownBy(() -> DEMO.checkEqual(other(70, Double.NaN, 6))).isInstanceOf(UnequalSolveException.class);
    }

    @Test
    void shouldAcceptAnyResidualOfRoundingAlone() {
        final SolveFigures exact = other(4, 1.7e-17, 18);

        assertThatCode(() -> exact.checkEqual(other(4, 2.3e-17, 18))).doesNotThrowAnyException();
        assertThatThrownBy(() -> exact.checkEqual(other(4, 1e-14, 18))).isInstanceOf(UnequalSolveException.class);
    }

    @Test
    void shouldTakeTheMedianOfEachTime() {
        assertThat(SolveFigures.median(List.of(
                        DEMO,
                        new SolveFigures(70, 5e-9, 6, 60, 20, 9, 6),
                        new SolveFigures(70, 5e-9, 6, 50, 50, 1, 7))))
                .isEqualTo(new SolveFigures(70, 5e-9, 6, 50, 30, 4, 6));
    }

    private static SolveFigures other(int iterations, double residual, long messages) {
        return new SolveFigures(iterations, residual, messages, 1, 1, 1, 1);
    }
}
