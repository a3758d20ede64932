package org.segno.demo.kmeans;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.segno.tools.SegnoProcess;
import org.segno.tools.command.ExitCode;

class KmeansCommandTest {
    @TempDir
    Path directory = Path.of("");

    @ParameterizedTest
    @Tag("long")
    @ValueSource(strings = {"processes", "threads"})
    void shouldFindTheClustersOfOneProcessOnThreeRanks(String as) throws Exception {
        try (SegnoProcess segno = SegnoProcess.startIn(
                directory, "-q", "demo", "kmeans", "-n", "3", "--points", "5000", "--format", "json", "--as", as)) {
            assertThat(segno.exitCode()).as(segno.error()).isEqualTo(ExitCode.DONE);
            assertThat(segno.output()).hasSize(1);
            assertThat(segno.output().get(0))
                    .startsWith("{\"schema\": \"segno-demo-kmeans-1\", ")
                    .contains("\"verified\": true", "\"settled\": true");
        }
        assertThat(directory).isEmptyDirectory();
    }

    @Test
    void shouldNameAnOptionThatIsOutOfRange() throws Exception {
        try (SegnoProcess segno = SegnoProcess.startIn(directory, "demo", "kmeans", "--clusters", "0")) {
            assertThat(segno.exitCode()).isEqualTo(ExitCode.WRONG_COMMAND_LINE);
            assertThat(segno.error()).contains("--clusters must be between 1 and 4096: 0");
        }
    }
}
