package org.segno.bench.goals;

import static java.util.Objects.requireNonNull;
import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.segno.bench.experiment.Experiment;
import org.segno.bench.harness.Distance;
import org.segno.bench.harness.Measured;
import org.segno.bench.harness.Slice;
import org.segno.bench.report.ResultFiles;
import org.segno.bench.report.SavedRun;
import org.segno.bench.report.SavedRun.DistanceMedian;
import org.segno.bench.report.SavedRun.SavedRow;
import org.segno.bench.report.SliceTable;
import org.segno.tools.output.Report;
import org.segno.tools.output.Table;
import picocli.CommandLine;

/** Goals of saved runs with invented figures. */
class GoalsCommandTest {
    private static final String LINK = "Segno INVOKER over Aeron, MTU 1408";
    private static final String BARE = "Aeron UDP, MTU 1408";

    private final StringWriter out = new StringWriter();
    private final StringWriter err = new StringWriter();
    private final StringBuilder rows = new StringBuilder();
    private final StringBuilder slices = new StringBuilder();

    @TempDir
    private Path directory;

    @BeforeEach
    void addMessagesSlightlySlowerThanBareOnes() {
        row("am_lat", 64, LINK, "p50", 2400, "ns");
        row("am_lat", 64, BARE, "p50", 2000, "ns");
        row("am_mr", 64, LINK, "rate", 6, "M msg/s");
        row("am_mr", 64, BARE, "rate", 5, "M msg/s");
    }

    @Test
    void shouldCompareWithBareAeronOfTheSameRun() throws IOException {
        row("am_lat_beside_put_1048576", 64, LINK, "p99", 400_000, "ns");
        row("put_lat", 8, "Segno INVOKER", "p50", 150, "ns");
        row("put_lat", 8, "Segno INVOKER beside links", "p50", 250, "ns");

        assertThat(goals(file())).as(err.toString()).isZero();
        assertThat(out.toString())
                .containsPattern("64 B round trip, SEND, to bare Aeron +1408 .* 1\\.20 +<= 1\\.25 +held")
                .containsPattern("64 B SENDs a second, to bare Aeron +1408 .* 1\\.20 +>= 0\\.9 +held")
                .containsPattern("beside a 1 MiB stream.* <= 500,000 +held")
                .containsPattern("8 B PUT by mapped memory beside idle links .*<= \\+200 ns +held")
                .contains("all held");
    }

    @Test
    void shouldReportMissedGoals() throws IOException {
        row("put_bw", 1 << 20, LINK, "bandwidth", 0.5, "GB/s");
        row("put_bw", 1 << 20, BARE, "bandwidth", 0.7, "GB/s");

        assertThat(goals(file())).isOne();
        assertThat(out.toString())
                .containsPattern("1 MiB PUTs, to bare Aeron +1408 .*>= 0\\.9 +MISSED")
                .contains("missed: 1");
    }

    @Test
    void shouldHaveHigherGoalsForMessagesThatShareALongDatagram() throws IOException {
        row("am_mr", 64, LINK.replace("1408", "8192"), "rate", 9, "M msg/s");
        row("am_mr", 64, BARE.replace("1408", "8192"), "rate", 5, "M msg/s");

        assertThat(goals(file())).isOne();
        assertThat(out.toString()).containsPattern("64 B SENDs a second, to bare Aeron +8192 .*>= 2 +MISSED");
    }

    @Test
    void shouldReportMpiWithoutAGoalWherePacked() throws IOException {
        row("demo_fft", 1024, LINK, "until done", 100, "ns");
        row("demo_fft", 1024, "MPI over TCP message for message", "until done", 300, "ns");
        row("demo_fft", 1024, "MPI over TCP packed", "until done", 50, "ns");

        assertThat(goals(file())).as(err.toString()).isZero();
        assertThat(out.toString())
                .containsPattern("demo_fft 1024, MPI over TCP to it .*>= 2 +held")
                .containsPattern("demo_fft 1024, packed MPI over TCP to it .* 0\\.50 +-");
    }

    /** Of the near slices there are fewer pairs; in the last ones the cores have moved. */
    @Test
    void shouldCompareFiguresOfOneStateOfTheCores() throws IOException {
        slices(LINK, "2200, 2000, 4700, 4600, 4800, 4900, 9", "40, 50, 150, 150, 150, 160, null");
        slices(BARE, "1000, 4000, 4200, 9000", "40, 160, 150, null");

        assertThat(goals(file())).as(err.toString()).isZero();
        assertThat(out.toString())
                .containsPattern("SEND, to bare Aeron +1408 +far +4,750 +4,100 +ns +1\\.16 +<= 1\\.25 +held");
    }

    @Test
    void shouldReadTheSlicesOfAFileThatBenchHasWritten() throws IOException {
        final Experiment experiment = new Experiment(LINK, "am_lat", 64, Experiment.LATENCY, (role, own) -> {
            throw new AssertionError("not opened: " + role);
        });
        final Measured measured = new Measured(
                List.of(
                        new Slice(0, 40, 40, new double[] {2000, 3000}),
                        new Slice(0, 150, 160, new double[] {4000, 5000}),
                        new Slice(0, 40, 160, new double[] {9000, 9000}),
                        new Slice(0, 150, 160, new double[] {6000, 7000})),
                0);
        final Path file = ResultFiles.write(
                directory,
                new Report("segno-bench-1", "# run")
                        .add(Table.of("rows", "test", "size", "peer", "metric", "median", "xProbe")
                                .row("am_lat", 64, LINK, "p50", 2000.0, 1.0))
                        .add(SliceTable.of(List.of(experiment), measured)));

        final SavedRow read = SavedRun.read(file).rows().get("am_lat 64, " + LINK + ", p50");
        assertThat(requireNonNull(read).medians())
                .isEqualTo(
                        Map.of(Distance.NEAR, new DistanceMedian(2000, 1), Distance.FAR, new DistanceMedian(5000, 2)));
    }

    @Test
    void shouldNotCompareFiguresWithoutACommonState() throws IOException {
        slices(LINK, "2000, 3000", "40, null");
        slices(BARE, "4000, 4100", "160, 150");
        row("am_lat_beside_put_1048576", 64, LINK, "p99", 400_000, "ns");

        assertThat(goals(file())).isOne();
        assertThat(out.toString())
                .containsPattern("SEND, to bare Aeron +1408 +near, far .* <= 1\\.25 +other state")
                .contains("no other missed; not measured in one state of the cores: 1, measure again");
    }

    @Test
    void shouldReportAFileThatIsNone() {
        assertThat(goals(directory.resolve("none.json"))).isEqualTo(3);
        assertThat(err.toString()).contains("no such file");
    }

    private void row(String test, int size, String peer, String metric, double median, String unit) {
        rows.append(rows.isEmpty() ? "" : ",\n")
                .append("{\"test\": \"" + test + "\", \"size\": " + size + ", \"peer\": \"" + peer
                        + "\", \"metric\": \"" + metric + "\", \"best\": 1, \"median\": " + median
                        + ", \"worst\": 1, \"unit\": \"" + unit
                        + "\", \"xProbe\": 1, \"state\": \"near\", \"slices\": 1}");
    }

    private void slices(String peer, String figures, String probesNs) {
        slices.append(slices.isEmpty() ? "" : ", ")
                .append("{\"test\": \"am_lat\", \"size\": 64, \"peer\": \"" + peer
                        + "\", \"metric\": \"p50\", \"unit\": \"ns\", \"figures\": [" + figures + "], \"probesNs\": ["
                        + probesNs + "]}");
    }

    private Path file() throws IOException {
        return Files.writeString(
                directory.resolve("run.json"),
                "{\"schema\": \"segno-bench-1\", \"cpu\": \"X\", \"rows\": [" + rows + "], \"slices\": [" + slices
                        + "]}");
    }

    private int goals(Path file) {
        return new CommandLine(new GoalsCommand())
                .setOut(new PrintWriter(out, true))
                .setErr(new PrintWriter(err, true))
                .execute(file.toString());
    }
}
