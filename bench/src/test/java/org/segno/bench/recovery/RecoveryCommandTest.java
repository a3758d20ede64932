package org.segno.bench.recovery;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.PrintWriter;
import java.io.StringWriter;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import picocli.CommandLine;

/** Runs that lose a few datagrams. The time until they are repeated is not checked. */
class RecoveryCommandTest {
    private final StringWriter out = new StringWriter();
    private final StringWriter err = new StringWriter();

    @Test
    @Tag("long")
    void shouldReportTheTimeUntilLostMessagesHaveArrived() {
        assertThat(recovery("--losses", "5", "--bare-losses", "2", "--limit-ms", "20000"))
                .as(err.toString())
                .isZero();
        assertThat(out.toString())
                .containsPattern("link over Aeron +5 +\\d+\\.\\d+ +\\d+\\.\\d+ ")
                .containsPattern("bare Aeron +2 +\\d+\\.\\d+ +\\d+\\.\\d+ ")
                .contains("over a link: held");
    }

    @Test
    @Tag("long")
    void shouldExitWithOneWhenTheLimitIsExceeded() {
        assertThat(recovery("--losses", "1", "--bare-losses", "1", "--limit-ms", "0"))
                .isOne();
        assertThat(out.toString()).contains("over a link: exceeded");
    }

    @Test
    void shouldRefuseToLoseNothing() {
        assertThat(recovery("--losses", "0")).isEqualTo(CommandLine.ExitCode.USAGE);
        assertThat(err.toString()).contains("must be 1 or more: 0, 100");
    }

    private int recovery(String... arguments) {
        return new CommandLine(new RecoveryCommand())
                .setOut(new PrintWriter(out, true))
                .setErr(new PrintWriter(err, true))
                .execute(arguments);
    }
}
