package org.segno.tools.output;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Locale;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** One report in every format, compared with the golden files byte for byte. */
final class ReportTest {
    @ParameterizedTest
    @EnumSource
    void shouldEqualTheGoldenFile(Format format) throws IOException {
        final Report report = new Report("segno-example-1", "halo-7f3a · 2 ranks")
                .put("job", "halo")
                .put("ranks", 2)
                .put("missing", null)
                .add(Table.of("nodes", "rank", "pid", "heartbeatMs", "bytes", "state")
                        .row(0, 47_110L, 3.25, 1_234_567L, "runs")
                        .row(1, 9L, null, 0L, "stopped, \"by hand\""))
                .add("nothing here", Table.of("empty", "a", "b"))
                .add(
                        "answers",
                        Table.of("answers", "id", "right").row(1_000, true).row(2, false))
                .note("and no more");
        final StringWriter text = new StringWriter();

        report.print(new PrintWriter(text), format);

        final Path golden =
                Path.of("src/test/resources/golden/report." + format.name().toLowerCase(Locale.ROOT));
        assertThat(text.toString()).isEqualTo(Files.readString(golden));
    }

    @Test
    void shouldSeparateGroupsOfRowsAndRoundAsItsTableDoes() {
        final Report report = new Report("segno-example-1", "")
                .add(Table.of("rows", "name", "figure")
                        .numbers(Quantity::ofFigure)
                        .startGroup()
                        .row("one", 1.234)
                        .startGroup()
                        .row("two", Double.NaN));
        final StringWriter text = new StringWriter();
        final StringWriter json = new StringWriter();

        report.print(new PrintWriter(text), Format.TABLE);
        report.print(new PrintWriter(json), Format.JSON);

        assertThat(text.toString().lines()).containsExactly("name  figure", "one     1.23", "", "two        -");
        assertThat(json.toString())
                .contains("{\"name\": \"one\", \"figure\": 1.234}, {\"name\": \"two\", \"figure\": null}");
    }
}
