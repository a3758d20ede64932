package org.segno.engine.weak;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
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
            new InjectionEventWorkload(),
            new OwedEventWorkload(),
            new DoorbellWorkload(),
            new Rests(),
            new ReopenWorkload(),
            new LoanWorkload(),
            new LinkWorkload(),
            new LandedWorkload());

    /** Number of seeds, small by default; {@code -Dsegno.seeds} sets it. */
    private static final int SEEDS = Integer.getInteger("segno.seeds", 60);

    private final WeakRun run = new WeakRun();

    @AfterEach
    void close() {
        run.close();
    }

    static Stream<Workload> workloads() {
        return WORKLOADS.stream();
    }

    @ParameterizedTest
    @MethodSource("workloads")
    void shouldKeepEveryPromiseUnderAnyMemoryOrder(Workload workload) {
        for (long seed = 0; seed < SEEDS; seed++) {
            assertThat(run.violation(seed, Orderings.ALL, program(workload))).isNull();
        }
    }

    static WeakRun.Program program(Workload workload) {
        return model -> {
            if (workload.keepsFences()) {
                model.keepFences();
            }
            final WeakNodes nodes = workload.isLinked()
                    ? WeakNodes.linked(model, workload.dimensions())
                    : WeakNodes.open(model, workload.dimensions(), workload.parks());
            return workload.threads(nodes, model.chance());
        };
    }
}
