package org.segno.tools.run;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import java.util.Map;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.segno.tools.SegnoProcess;
import org.segno.tools.command.ExitCode;

/** Launchers with a small limit of open files ({@code ulimit -n}). */
final class RunOpenFilesTest {
    /** Least limit with which a JVM starts; the files of the test's class path come on top as they are needed. */
    private static final int LOWEST = 10;

    private static final int HIGHEST = 100;
    private static final int STEP = 10;

    @TempDir
    private Path parent = Path.of("");

    @Test
    @Tag("long")
    void shouldReportALimitThatIsTooLowAndLeaveNothingBehind() throws Exception {
        int reported = 0;
        for (int limit = LOWEST; limit <= HIGHEST; limit += STEP) {
            try (SegnoProcess segno = start(limit, "run", "-n", "2", "--", "true")) {
                final int exitCode = segno.exitCode();
                assertThat(parent).as("limit " + limit).isEmptyDirectory();
                assertThat(segno.error()).as("limit " + limit).doesNotContain("bug in segno");
                if (exitCode == ExitCode.NOT_FIT && segno.error().contains("the launcher of")) {
                    reported++;
                    assertThat(segno.error())
                            .contains("this process may have " + limit + " files open: raise that limit (ulimit -n)");
                }
            }
        }
        assertThat(reported).isPositive();
    }

    @Test
    void shouldReportALimitThatIsTooLowForManyRanksBeforeItStartsOne() throws Exception {
        try (SegnoProcess segno = start(100, "run", "-n", "64", "--", "echo", "started")) {
            assertThat(segno.exitCode()).isEqualTo(ExitCode.NOT_FIT);
            assertThat(segno.error()).contains("the launcher of 64 ranks opens up to ", "100 files open", "ulimit -n");
            assertThat(segno.output()).isEmpty();
            assertThat(parent).isEmptyDirectory();
        }
    }

    private SegnoProcess start(int limit, String... arguments) throws Exception {
        return SegnoProcess.startLimited(limit, Map.of("SEGNO_DIR", parent.toString()), arguments);
    }
}
