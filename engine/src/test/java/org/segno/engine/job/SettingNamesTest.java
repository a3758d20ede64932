package org.segno.engine.job;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.List;
import java.util.Properties;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.segno.node.NodeConfig;

class SettingNamesTest {
    @Test
    void shouldKnowTheVariablesOfARanksPlace() throws IllegalAccessException {
        for (final var field : JobVariables.class.getFields()) {
            final String variable = (String) field.get(null);
            assertThat(SettingNames.unknownVariables(Set.of(variable)))
                    .as(variable)
                    .isEmpty();
        }
    }

    @Test
    void shouldReportUnknownVariablesWithTheNearestName() {
        assertThat(SettingNames.unknownVariables(
                        Set.of("SEGNO_TIMOUT", "SEGNO_FROBNICATE", "SEGNO_RNAK", "SEGNO_Idle", "PATH", "SEGNO_SIZE")))
                .containsExactly(
                        "variable SEGNO_FROBNICATE is not used by segno",
                        "variable SEGNO_Idle is not used by segno, did you mean SEGNO_IDLE?",
                        "variable SEGNO_RNAK is not used by segno, did you mean SEGNO_RANK?",
                        "variable SEGNO_TIMOUT is not used by segno, did you mean SEGNO_TIMEOUT?");
    }

    @Test
    void shouldReportUnknownPropertiesWithTheNearestName() {
        final Properties properties = new Properties();
        for (final String name : List.of(
                "segno.eager-limt",
                "segno.fifo_slots",
                "segno.mine.alone",
                "segno.rank-socket",
                "segno.dir",
                "other")) {
            properties.setProperty(name, "1");
        }

        assertThat(SettingNames.unknownProperties(properties))
                .containsExactly(
                        "property segno.eager-limt is not used by segno, did you mean segno.eager-limit?",
                        "property segno.fifo_slots is not used by segno, did you mean segno.fifo-slots?",
                        "property segno.mine.alone is not used by segno");
    }

    @ParameterizedTest
    @CsvSource({
        "timeout, timeout",
        "timout, timeout",
        "tmeot, timeout",
        "tmeo, ''",
        "rn, run",
        "gc, ''",
        "x, ''",
        "runner, ''"
    })
    void shouldSuggestNothingBeyondTwoEdits(String word, String expected) {
        assertThat(Spelling.nearest(word, List.of("timeout", "run", "cg")).orElse(""))
                .isEqualTo(expected);
    }

    /** Main class of a program that makes a node's configuration twice. */
    static final class Program {
        private Program() {}

        public static void main(String[] arguments) {
            NodeConfig.defaults();
            NodeConfig.defaults();
        }
    }

    @Test
    void shouldWarnOnceInTheProcessOfAProgram() throws Exception {
        assertThat(warnings(false))
                .containsOnlyOnce("property segno.eager-limt is not used by segno, did you mean segno.eager-limit?")
                .containsOnlyOnce("variable SEGNO_THREADNG is not used by segno, did you mean SEGNO_THREADING?");
    }

    @Test
    void shouldLeaveTheVariablesOfALaunchedRankToItsLauncher() throws Exception {
        assertThat(warnings(true)).contains("segno.eager-limt").doesNotContain("SEGNO_THREADNG");
    }

    private static String warnings(boolean launched) throws Exception {
        final ProcessBuilder builder = new ProcessBuilder(
                        Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                        "--add-exports=java.base/jdk.internal.misc=ALL-UNNAMED",
                        "-Dsegno.eager-limt=8k",
                        "-cp",
                        System.getProperty("java.class.path"),
                        Program.class.getName())
                .redirectErrorStream(true);
        builder.environment().put("SEGNO_THREADNG", "shared");
        builder.environment().put(JobVariables.LAUNCHED, Boolean.toString(launched));
        final Process process = builder.start();
        final String text = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        assertThat(process.waitFor()).as(text).isZero();
        return text;
    }
}
