package org.segno.tools.run.plan;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.List;
import java.util.Map;
import java.util.OptionalInt;
import org.junit.jupiter.api.Test;
import org.segno.node.JobConfig;
import org.segno.tools.command.CommandException;
import org.segno.tools.command.ExitCode;

final class PlacementTest {
    private static final List<Integer> CORES = List.of(2, 3, 8);
    private static final JobConfig JOB = JobConfig.of("job", 1, 2);

    @Test
    void shouldGiveEachProcessACoreOfItsOwnAndItsJvmTheCoresOfAll() {
        final Placement placement = Placement.of(Binding.CORE, 2, CORES);

        assertThat(placement.prefix(1)).containsExactly("taskset", "-c", "3");
        assertThat(placement.javaOptions(List.of(), Map.of()))
                .containsExactly("-XX:ActiveProcessorCount=2", "-XX:+UseG1GC");
        assertThat(placement.complete(JOB).engineCore()).isEmpty();
    }

    @Test
    void shouldLeaveACollectorThatItsUserChoseAlone() {
        final Placement placement = Placement.of(Binding.CORE, 2, CORES);
        final List<String> processors = List.of("-XX:ActiveProcessorCount=2");

        assertThat(placement.javaOptions(List.of("-Xmx1g", "-XX:+UseParallelGC"), Map.of()))
                .isEqualTo(processors);
        assertThat(placement.javaOptions(List.of(), Map.of("JAVA_TOOL_OPTIONS", "-ea -XX:+UseZGC -Xss1m")))
                .isEqualTo(processors);
    }

    @Test
    void shouldLeaveTheSerialCollectorToAMachineOfOneCore() {
        assertThat(Placement.of(Binding.CORE, 1, List.of(0)).javaOptions(List.of(), Map.of()))
                .containsExactly("-XX:ActiveProcessorCount=1");
    }

    @Test
    void shouldPassEachEngineItsCoreAndLeaveProcessesAlone() {
        final Placement placement = Placement.of(Binding.THREADS, 2, CORES);

        assertThat(placement.prefix(1)).isEmpty();
        assertThat(placement.javaOptions(List.of(), Map.of())).isEmpty();
        assertThat(placement.complete(JOB).engineCore()).isEqualTo(OptionalInt.of(3));
        assertThat(placement.complete(JOB).toEnvironment()).containsEntry("SEGNO_ENGINE_CORE", "3");
    }

    @Test
    void shouldRefuseMoreRanksThanCoresUnlessNothingIsBound() {
        assertThat(Placement.of(Binding.NONE, 4, CORES).describe(3)).isEqualTo("not bound");
        assertThatThrownBy(() -> Placement.of(Binding.THREADS, 4, CORES))
                .isInstanceOfSatisfying(
                        CommandException.class, e -> assertThat(e.exitCode()).isEqualTo(ExitCode.NOT_FIT))
                .hasMessageContaining(
                        "--bind-to threads gives each rank a core of its own: 4 ranks, 3 cores; use -n 3");
    }
}
