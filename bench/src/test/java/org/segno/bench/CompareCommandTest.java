package org.segno.bench;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import picocli.CommandLine;

/** Comparison of two small files. BenchTest compares one that a run has written. */
class CompareCommandTest {
    private static final String ROW =
            "{\"test\": \"%s\", \"size\": 8, \"peer\": \"P\", \"metric\": \"%s\", \"best\": 1.0,"
                    + " \"median\": %s, \"worst\": 3.0, \"unit\": \"%s\", \"xProbe\": %s, \"state\": \"near\", \"slices\": 4}";

    private final StringWriter out = new StringWriter();
    private final StringWriter err = new StringWriter();

    @TempDir
    private Path directory;

    @Test
    void shouldMarkATimeOnlyIfMedianAndXProbeDiffer() throws IOException {
        final Path before = file("before", "1.0", "100.0", "2.0", "0.5");
        final Path after = file("after", "3.0", "120.0", "2.2", "0.5");

        assertThat(compare("--format", "csv", before.toString(), after.toString()))
                .as(err.toString())
                .isZero();
        assertThat(out.toString().lines())
                .containsExactly(
                        "row,before,after,unit,xProbeBefore,xProbeAfter,ratio,ratioOfXProbe,verdict",
                        "\"lat 8, P, p50\",1.0,3.0,ns,2.0,2.2,3.0,1.1,worse",
                        "\"mr 8, P, rate\",100.0,120.0,M msg/s,0.5,0.5,1.2,NaN,better",
                        "\"share 8, P, share\",0.5,0.5,ratio,NaN,NaN,1.0,NaN,");
    }

    @Test
    void shouldNotMarkATimeWhoseProbeAloneHasMoved() throws IOException {
        final Path before = file("before", "100.0", "100.0", "2.0", "0.5");
        final Path after = file("after", "100.0", "100.0", "1.4", "0.5");

        assertThat(compare("--format", "csv", before.toString(), after.toString()))
                .isZero();
        assertThat(out.toString()).contains("\"lat 8, P, p50\",100.0,100.0,ns,2.0,1.4,1.0,0.7,\n");
    }

    @Test
    void shouldNameRowsThatOnlyOneFileHas() throws IOException {
        final Path before = file("before", "1.0", "1.0", "1.0", "1.0");
        final Path after = Files.writeString(
                directory.resolve("after"), Files.readString(before).replace("\"mr\"", "\"other\""));

        assertThat(compare(before.toString(), after.toString())).isZero();
        assertThat(err.toString())
                .contains("only " + before + " has 1 row: mr 8, P, rate")
                .contains("only " + after + " has 1 row: other 8, P, rate");
    }

    @Test
    void shouldRefuseAFileThatIsCutOffOrMissing() throws IOException {
        final Path whole = file("whole", "1.0", "1.0", "1.0", "1.0");
        final String text = Files.readString(whole);
        final Path cut = Files.writeString(directory.resolve("cut"), text.substring(0, text.length() / 2));

        assertThat(compare(whole.toString(), cut.toString())).isEqualTo(3);
        assertThat(compare(whole.toString(), directory.resolve("none").toString()))
                .isEqualTo(3);
        assertThat(compare(whole.toString(), directory.toString())).isEqualTo(3);
        assertThat(err.toString())
                .contains("cut off")
                .contains("no such file: " + directory.resolve("none"))
                .contains("cannot read " + directory);
    }

    @Test
    void shouldNameBothEnvironments() throws IOException {
        final Path file = file("old", "1.0", "1.0", "1.0", "1.0");
        assertThat(compare(file.toString(), file.toString())).isZero();
        assertThat(out.toString()).startsWith("# before: A (B) {1} · ").contains("commit old");
    }

    @Test
    void shouldRefuseAFileOfAnotherKind() throws IOException {
        final Path file = Files.writeString(directory.resolve("other.json"), "{\"schema\": \"other\"}");
        assertThat(compare(file.toString(), file.toString())).isEqualTo(3);
        assertThat(err.toString()).contains("schema segno-bench-1", "other.json");
    }

    private Path file(String commit, String time, String rate, String xProbe, String share) throws IOException {
        final String rows = String.join(
                ", ",
                String.format(ROW, "lat", "p50", time, "ns", xProbe),
                String.format(ROW, "mr", "rate", rate, "M msg/s", "0.5"),
                String.format(ROW, "share", "share", share, "ratio", "null"));
        return Files.writeString(
                directory.resolve(commit),
                "{\"schema\": \"segno-bench-1\", \"commit\": \"" + commit + "\", \"cpu\": \"A (B) {1}\", \"rows\": ["
                        + rows + "], \"slices\": []}\n");
    }

    private int compare(String... arguments) {
        final String[] all = new String[arguments.length + 1];
        all[0] = "compare";
        System.arraycopy(arguments, 0, all, 1, arguments.length);
        return new CommandLine(new Bench())
                .setCaseInsensitiveEnumValuesAllowed(true)
                .setOut(new PrintWriter(out, true))
                .setErr(new PrintWriter(err, true))
                .execute(all);
    }
}
