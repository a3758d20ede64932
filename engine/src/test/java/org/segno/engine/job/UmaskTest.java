package org.segno.engine.job;

import static org.assertj.core.api.Assertions.assertThat;
import static org.segno.engine.job.TestRankProcess.forkBehind;

import java.nio.file.Path;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.segno.node.JobConfig;

/**
 * Processes with a umask that takes permissions from their own user. Root drops its capability to ignore permissions.
 */
@Tag("long")
@Timeout(300)
class UmaskTest {
    private static final String SETPRIV = "setpriv --bounding-set=-dac_override,-dac_read_search ";
    private static final String WITHOUT_ROOTS_RIGHT = "; " + SETPRIV + "true 2>/dev/null && exec " + SETPRIV + "\"$@\"";

    @TempDir
    Path parent;

    @ParameterizedTest
    @ValueSource(strings = {"0077", "0177", "0277", "0777"})
    void shouldJoinUnderAnyUmask(String umask) {
        final JobConfig config = JobConfig.of("umask", 0, 2).withDirectory(parent);
        try (TestRankProcess first = fork(umask, config);
                TestRankProcess second = fork(umask, config.withRank(1))) {
            first.expect("go ");
            second.expect("go ");
            assertThat(parent).isEmptyDirectory();
        }
    }

    private static TestRankProcess fork(String umask, JobConfig config) {
        return forkBehind("umask " + umask + WITHOUT_ROOTS_RIGHT, System.getProperty("java.class.path"), config, "go");
    }
}
