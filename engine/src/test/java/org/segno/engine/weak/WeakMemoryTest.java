package org.segno.engine.weak;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Tests of the real engine on simulated weak memory: nothing is lost, doubled, torn, reordered, or complete before it
 * is visible.
 */
class WeakMemoryTest {
    static final List<Workload> WORKLOADS = List.of(
            new SendWorkload(),
            new PutWorkload(),
            new ReplayWorkload(),
            new QueueWorkload(),
            new SettingsWorkload(),
            new AdmissionWorkload(),
            new LockWorkload(),
            new WaitWorkload(),
            new FallingCounterWorkload(),
            new InjectionEventWorkload(),
            new OwedEventWorkload(),
            new DoorbellWorkload(),
            new Rests(),
            new ReopenWorkload(false),
            new ReopenWorkload(true),
            new LoanWorkload(),
            new LinkWorkload(),
            new LandedWorkload());

    /** Number of seeds, small by default; {@code -Dsegno.seeds} sets it. */
    private static final int SEEDS = Integer.getInteger("segno.seeds", 10);

    /** Number of seeds beside those of each build. */
    private static final int MORE_SEEDS = 600;

    private static final WeakRun RUN = new WeakRun();

    @AfterAll
    static void close() {
        RUN.close();
    }

    static Stream<Workload> workloads() {
        return WORKLOADS.stream();
    }

    @ParameterizedTest
    @MethodSource("workloads")
    void shouldKeepEveryPromiseUnderAnyMemoryOrder(Workload workload) {
        requireNoViolation(0, SEEDS, workload);
    }

    @Tag("proof")
    @Timeout(1200)
    @ParameterizedTest
    @MethodSource("workloads")
    void shouldKeepEveryPromiseUnderMoreSeeds(Workload workload) {
        requireNoViolation(SEEDS, SEEDS + MORE_SEEDS, workload);
    }

    private static void requireNoViolation(long firstSeed, long endSeed, Workload workload) {
        for (long seed = firstSeed; seed < endSeed; seed++) {
            assertThat(RUN.violation(seed, Orderings.ALL, program(workload))).isNull();
        }
    }

    static WeakRun.Program program(Workload workload) {
        return model -> {
            if (workload.keepsFences()) {
                model.keepFences();
            }
            final WeakNodes nodes = workload.isLinked()
                    ? WeakNodes.linked(model, workload.dimensions())
                    : workload.isInvoked()
                            ? WeakNodes.invoked(model, workload.dimensions())
                            : WeakNodes.open(model, workload.dimensions(), workload.parks());
            return workload.threads(nodes, model.chance());
        };
    }
}
