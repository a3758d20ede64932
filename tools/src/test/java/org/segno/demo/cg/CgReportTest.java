package org.segno.demo.cg;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import org.junit.jupiter.api.Test;
import org.segno.demo.matrix.PoissonGrid;
import org.segno.demo.solver.Outcome;

class CgReportTest {
    private static final double TOLERANCE = 1e-8;

    @Test
    void shouldFormatOneJsonObject() {
        assertEquals(
                "{\"schema\": \"segno-demo-cg-1\", \"program\": \"cg\", \"matrix\": \"27-point Poisson 8 x 8 x 8\","
                        + " \"rows\": 512, \"nonzeros\": 10648, \"ranks\": 4, \"converged\": true, \"iterations\": 21,"
                        + " \"tolerance\": 1.0E-8, \"relativeResidual\": 5.0E-9, \"trueResidual\": 6.0E-9,"
                        + " \"verified\": true, \"problem\": null, \"referenceIterations\": 20, \"replays\": 20,"
                        + " \"iterationMicros\": 40.125, \"slowestIterationMicros\": 41.5, \"computeMicros\": 10.0,"
                        + " \"exchangeMicros\": 12.0, \"reduceMicros\": 18.0, \"exchangeAndReduceMicros\": 30.5,"
                        + " \"messagesPerIteration\": 30, \"bytesPerIteration\": 3456, \"haloMessages\": 6,"
                        + " \"replayNanos\": 15.25,"
                        + " \"injectNanos\": 30.5}",
                report(converged(), new SolveVerification(TOLERANCE, 6e-9, 20)).toJson());
    }

    @Test
    void shouldFormatText() {
        assertThat(report(converged(), new SolveVerification(TOLERANCE, 6e-9, 20))
                        .toText())
                .contains("27-point Poisson 8 x 8 x 8 · 512 rows · 10,648 nonzeros · 4 ranks\n")
                .contains("converged in 21 iterations · relative residual 5.00e-09 · true residual 6.00e-09")
                .contains("one-process reference: 20 iterations\nverified\n")
                .contains("exchange       12.0 us   6 messages, 3,072 bytes\n")
                .contains("recorded once, replayed 20 times; what starting")
                .contains("one replay, which stands for 6.0 messages, 15.3 ns"
                        + " · the same messages injected one by one 30.5 ns\n")
                .endsWith("replaying saves 50 % here; its cost does not grow with the messages that it stands for\n");
    }

    @Test
    void shouldReportThatReplayingCostsMore() {
        final FigureTable figures = new FigureTable()
                .set(Figure.HALO_MESSAGES, 4)
                .set(Figure.REPLAY_NANOS, 23)
                .set(Figure.INJECT_NANOS, 21.3);

        assertThat(report(figures, 2).toText()).contains("replaying costs 8 % more here");
    }

    @Test
    void shouldOmitReplaysWithoutMessagesAndUseTheSingularForOne() {
        assertThat(report(new FigureTable().set(Figure.REPLAY_NANOS, 2).set(Figure.INJECT_NANOS, 10), 1)
                        .toText())
                .startsWith("27-point Poisson 1 x 1 x 1 · 1 row · 1 nonzero · 1 rank\nconverged in 1 iteration ·")
                .endsWith("no rank needs values of another: no messages, and nothing to save by replaying them\n");
    }

    private static CgReport report(FigureTable figures, int ranks) {
        final SolveVerification verification = new SolveVerification(TOLERANCE, 0, 1);
        return new CgReport(new PoissonGrid(1), ranks, new Outcome(1, 0, null), verification, 1, figures);
    }

    @Test
    void shouldReportTheReasonOfAFailure() {
        final CgReport failed = report(
                new Outcome(3, 0.1, "no convergence within 3 iterations"), new SolveVerification(TOLERANCE, 0.1, 3));

        assertFalse(failed.verified());
        assertThat(failed.toJson())
                .contains("\"converged\": false")
                .contains("\"problem\": \"no convergence within 3 iterations\"");
        assertThat(failed.toText()).contains("ended after 3 iterations").contains("NOT VERIFIED: no convergence");
    }

    @Test
    void shouldRejectAResidualThatIsTenTimesTooLarge() {
        assertTrue(report(converged(), new SolveVerification(TOLERANCE, 9.9e-8, 21))
                .verified());
        assertThat(report(converged(), new SolveVerification(TOLERANCE, 1.1e-7, 21))
                        .problem())
                .isEqualTo("the true residual 1.1E-7 exceeds the tolerance 1.0E-8");
        assertFalse(report(converged(), new SolveVerification(TOLERANCE, Double.NaN, 21))
                .verified());
    }

    @Test
    void shouldRejectIterationsFarFromThoseOfOneProcess() {
        assertTrue(
                report(converged(), new SolveVerification(TOLERANCE, 6e-9, 23)).verified());
        assertThat(report(converged(), new SolveVerification(TOLERANCE, 6e-9, 24))
                        .problem())
                .isEqualTo("the ranks needed 21 iterations, the one-process reference 24");
        assertTrue(report(new Outcome(936, 5e-9, null), new SolveVerification(TOLERANCE, 6e-9, 954))
                .verified());
        assertFalse(report(new Outcome(936, 5e-9, null), new SolveVerification(TOLERANCE, 6e-9, 960))
                .verified());
    }

    @Test
    void shouldAddTheReferenceToAReport() {
        final CgReport report = report(converged(), new SolveVerification(TOLERANCE, 6e-9, null));

        assertThat(report.toText()).contains("one-process reference omitted");
        assertThat(report.toJson()).doesNotContain("referenceIterations");
        assertThat(report.withReference(TOLERANCE, 100).toJson()).contains("\"referenceIterations\": ");
    }

    private static Outcome converged() {
        return new Outcome(21, 5e-9, null);
    }

    private static CgReport report(Outcome outcome, SolveVerification verification) {
        final FigureTable figures = new FigureTable()
                .set(Figure.ITERATION_MICROS, 40.125)
                .set(Figure.SLOWEST_ITERATION_MICROS, 41.5)
                .set(Figure.COMPUTE_MICROS, 10)
                .set(Figure.EXCHANGE_MICROS, 12)
                .set(Figure.REDUCE_MICROS, 18)
                .set(Figure.COMMUNICATION_MICROS, 30.5)
                .set(Figure.REPLAY_NANOS, 15.25)
                .set(Figure.INJECT_NANOS, 30.5)
                .set(Figure.HALO_MESSAGES, 6)
                .set(Figure.HALO_BYTES, 3_072)
                .set(Figure.REDUCE_MESSAGES, 24)
                .set(Figure.REDUCE_BYTES, 384);
        return new CgReport(new PoissonGrid(8), 4, outcome, verification, 20, figures);
    }
}
