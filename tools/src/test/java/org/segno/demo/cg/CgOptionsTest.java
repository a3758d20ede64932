package org.segno.demo.cg;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.api.Assertions.assertEquals;

import java.io.IOException;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.segno.demo.matrix.PoissonGrid;
import org.segno.demo.rank.ReportFormat;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.ParameterException;

class CgOptionsTest {
    @Command
    private static final class Holder {
        @Mixin
        private final CgOptions options = new CgOptions();
    }

    @Test
    void shouldSolveTheGeneratedProblemByDefault() throws IOException {
        final CgOptions options = parse();

        assertEquals(48 * 48 * 48, options.source().rowCount());
        assertEquals(1e-8, options.tolerance());
        assertEquals(ReportFormat.TABLE, options.format());
        assertThat(options.toArguments())
                .containsExactly("--grid=48", "--tolerance=1.0E-8", "--warm-up=0ns", "--format=table");
    }

    @Test
    void shouldPassGivenOptionsToTheRanks() {
        final String[] arguments = {
            "--matrix=/a/b c.mtx", "--tolerance=1.0E-5", "--max-iterations=7", "--warm-up=1500ns", "--format=json"
        };

        assertThat(parse(arguments).toArguments()).containsExactly(arguments);
        assertThat(parse("--matrix=b.mtx").toArguments())
                .contains("--matrix=" + Path.of("b.mtx").toAbsolutePath());
    }

    @Test
    void shouldAllowTenIterationsForEachRowWithinLimits() {
        assertEquals(1_000, parse().maxIterations(new PoissonGrid(2)));
        assertEquals(10_000, parse().maxIterations(new PoissonGrid(10)));
        assertEquals(100_000, parse().maxIterations(new PoissonGrid(48)));
        assertEquals(3, parse("--max-iterations=3").maxIterations(new PoissonGrid(48)));
    }

    @ParameterizedTest
    @CsvSource({
        "--grid=0, --grid must be between 1 and 1290: 0",
        "--grid=1291, --grid must be between 1 and 1290: 1291",
        "--tolerance=0, --tolerance must be between 0 and 1: 0.0",
        "--tolerance=NaN, --tolerance must be between 0 and 1: NaN",
        "--tolerance=1, --tolerance must be between 0 and 1: 1.0",
        "--max-iterations=0, --max-iterations must be at least 1: 0",
    })
    void shouldNameTheInvalidOptionAndItsValue(String argument, String message) {
        assertThatThrownBy(() -> parse(argument).check())
                .isInstanceOf(ParameterException.class)
                .hasMessage(message);
    }

    @Test
    void shouldRejectMatrixTogetherWithGrid() {
        assertThatThrownBy(() -> parse("--matrix=a.mtx", "--grid=8").check())
                .isInstanceOf(ParameterException.class)
                .hasMessageStartingWith("--matrix and --grid exclude each other");
    }

    private static CgOptions parse(String... arguments) {
        final Holder holder = new Holder();
        new CommandLine(holder).setCaseInsensitiveEnumValuesAllowed(true).parseArgs(arguments);
        return holder.options;
    }
}
