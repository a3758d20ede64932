package org.segno.tools.simulate;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.EnumSet;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.segno.simulator.Fault;
import org.segno.simulator.Guarantee;
import org.segno.simulator.SimulationPlan.Bounds;
import org.segno.simulator.Workload;
import picocli.CommandLine.TypeConversionException;

/** Values of options and the text that repeats them. */
final class ChoicesTest {
    private static FaultChoice faults(String value) {
        return new FaultChoice.Converter().convert(value);
    }

    @ParameterizedTest
    @CsvSource({"7..7,7,7,1", "-3..4,-3,4,8", "1..10000,1,10000,10000"})
    void shouldReadARangeOfSeeds(String value, long first, long last, long count) {
        final SeedRange range = new SeedRange.Converter().convert(value);

        assertThat(range).isEqualTo(new SeedRange(first, last));
        assertThat(range.count()).isEqualTo(count);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "1",
                "1..",
                "1.2",
                "3..2",
                "1..99999999999999999999",
                "-9223372036854775808..9223372036854775807",
                "0..9223372036854775807"
            })
    void shouldRefuseWhatIsNoRangeOfSeeds(String value) {
        assertThatThrownBy(() -> new SeedRange.Converter().convert(value))
                .isInstanceOf(TypeConversionException.class)
                .hasMessageContaining("'" + value + "'");
    }

    @Test
    void shouldDrawTheKindsOfEachSeedForASwarm() {
        final FaultChoice swarm = faults("SWARM");

        assertThat(swarm).hasToString("swarm");
        for (int seed = 0; seed < 20; seed++) {
            assertThat(swarm.of(seed)).isEqualTo(Fault.swarm(seed));
        }
    }

    @Test
    void shouldReadListsOfKindsOfFaults() {
        assertThat(faults("none").of(1)).isEmpty();
        assertThat(faults("Cut,slow").of(1)).isEqualTo(Set.of(Fault.SLOW, Fault.CUT));
        assertThat(faults("^cut,^slow").of(1)).isEqualTo(EnumSet.complementOf(EnumSet.of(Fault.CUT, Fault.SLOW)));
        assertThat(faults("wrap,cut")).hasToString("cut,wrap");
        assertThatThrownBy(() -> faults("cut,kill=3"))
                .hasMessageContaining("'kill=3'")
                .hasMessageContaining("crash, late");
    }

    @Test
    void shouldReturnTheCommandThatRepeatsAPlan() {
        final CheckChoice order = new CheckChoice.Converter().convert("^delivery,^counter");
        final CheckChoice all = new CheckChoice.Converter().convert("order,delivery,counter");

        assertThat(order.checks()).containsExactly(Guarantee.ORDER);
        assertThat(command(faults("wrap,cut"), Bounds.USUAL, order))
                .isEqualTo("segno sim --nodes 3 --workload hotspot --operations 40 --seed -7 --faults cut,wrap"
                        + " --check order");
        assertThat(command(faults("none"), Bounds.USUAL, all))
                .isEqualTo("segno sim --nodes 3 --workload hotspot --operations 40 --seed -7 --faults none");
        assertThat(command(faults("none"), new Bounds(12_000, 1, 64), all))
                .endsWith(" --seed -7 --faults none --until 12us --size 1 --fifo-slots 64");
        assertThat(command(faults("none"), new Bounds(12_001, 1_024, 0), order))
                .endsWith(" --faults none --until 12001ns --check order");
    }

    private static String command(FaultChoice faults, Bounds bounds, CheckChoice checks) {
        final PlanChoice plans = new PlanChoice(3, 40, Workload.HOTSPOT, faults, bounds, checks);
        return plans.command(plans.plan(-7));
    }
}
