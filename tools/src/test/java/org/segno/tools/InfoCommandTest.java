package org.segno.tools;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.segno.node.NodeSetting;

final class InfoCommandTest {
    @Test
    void shouldEqualTheGoldenFile() throws Exception {
        try (SegnoProcess info = SegnoProcess.start(Map.of(), "info", "--format", "json")) {
            assertThat(info.exitCode()).as(info.error()).isZero();
            assertThat(String.join("\n", info.output())
                                    .replaceAll("(\"(version|commit|jdk|layoutHash)\": )\"[^\"]*\"", "$1\"1\"")
                                    .replaceAll("\"layoutVersion\": \\d+", "\"layoutVersion\": 1")
                            + "\n")
                    .isEqualTo(Files.readString(Path.of("src/test/resources/golden/info.json")));
        }
    }

    @Test
    void shouldNameTheSourceOfASetting() throws Exception {
        try (SegnoProcess info = SegnoProcess.start(
                Map.of(
                        "SEGNO_KILL_GRACE",
                        "7s",
                        "SEGNO_DIR",
                        "/tmp",
                        "SEGNO_EAGER_LIMIT",
                        "8k",
                        "SEGNO_FIFO_SLOTS",
                        "64"),
                "info",
                "--config",
                "--format",
                "csv")) {
            assertThat(info.exitCode()).as(info.error()).isZero();
            assertThat(info.output())
                    .anyMatch(line -> line.startsWith("kill-grace,7s,variable SEGNO_KILL_GRACE,5s,run"))
                    .anyMatch(line -> line.startsWith("eager-limit,8k,variable SEGNO_EAGER_LIMIT,16k,run")
                            && line.contains("bytes of metadata and payload"))
                    .anyMatch(line -> line.startsWith("immediate-limit,32,default,32,run"))
                    .anyMatch(line -> line.startsWith("fifo-slots,64,variable SEGNO_FIFO_SLOTS,1024,run")
                            && line.contains(",--fifo-slots,SEGNO_FIFO_SLOTS,segno.fifo-slots,"))
                    .anyMatch(line -> line.startsWith("start-timeout,30s,default,30s,run"))
                    .anyMatch(line -> line.startsWith("dir,/tmp,variable SEGNO_DIR,/dev/shm,all,"));
        }
    }

    @Test
    void shouldShowEverySettingOfANodeWithItsThreeSpellings() throws Exception {
        try (SegnoProcess info = SegnoProcess.start(Map.of(), "info", "--config", "--format", "csv")) {
            assertThat(info.exitCode()).as(info.error()).isZero();
            for (final NodeSetting setting : NodeSetting.values()) {
                final String name = setting.settingName();
                final String text = setting.defaultText();
                // A list is one value of its line.
                final String value = text.contains(",") ? '"' + text + '"' : text;
                assertThat(info.output())
                        .as(name)
                        .anyMatch(line -> line.startsWith(name + "," + value + ",default," + value + ",")
                                && line.contains(",--" + name + "," + setting.variable() + "," + setting.property()));
            }
        }
    }
}
