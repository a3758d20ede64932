package org.segno.tools.doctor;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.segno.tools.SegnoProcess;
import org.segno.tools.command.ExitCode;
import org.segno.tools.observe.WatchedJob;

/** Real command on this host. */
final class DoctorCommandTest {
    @TempDir
    private Path parent = Path.of("");

    @Test
    void shouldJudgeThePlannedCommand() throws Exception {
        final SegnoProcess doctor =
                WatchedJob.look(parent, "doctor", "--for", "run -n 200 --tag-output app.jar", "--format", "csv");

        assertThat(doctor.output()).anyMatch(line -> line.startsWith("WARN,cores,200 ranks would share"));
        assertThat(doctor.output()).anyMatch(line -> line.contains("200 ranks need"));
    }

    @Test
    @Tag("long")
    void shouldReportTheDirectoryThatAJobHasLeft() throws Exception {
        try (WatchedJob job = WatchedJob.start(parent, "--keep")) {
            job.end();

            final SegnoProcess doctor = WatchedJob.look(parent, "doctor", "--for", "demo");

            assertThat(doctor.output()).anyMatch(line -> line.startsWith("note  1 stale job in " + parent));
            assertThat(doctor.output()).anyMatch(line -> line.contains("2 ranks need"));
        }
    }

    @Test
    @Tag("long")
    void shouldRefuseAnInvalidPlan() throws Exception {
        for (final String plan : new String[] {"perf", "run --bad", "run -n 0 a.jar", ""}) {
            final SegnoProcess doctor = WatchedJob.look(parent, "doctor", "--for", plan);
            assertThat(doctor.process().exitValue()).as(plan).isEqualTo(ExitCode.WRONG_COMMAND_LINE);
            assertThat(doctor.error()).contains("--for");
        }
    }
}
