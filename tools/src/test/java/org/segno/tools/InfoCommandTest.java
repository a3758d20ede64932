package org.segno.tools;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.segno.node.NodeSetting;
import org.segno.tools.observe.WatchedJob;

final class InfoCommandTest {
    @Test
    void shouldEqualTheGoldenFile() throws Exception {
        try (SegnoProcess info = SegnoProcess.start(Map.of(), "info", "--format", "json")) {
            assertThat(info.exitCode()).as(info.error()).isZero();
            assertThat(String.join("\n", info.output())
                                    .replaceAll("(\"(version|commit|jdk|layoutHash)\": )\"[^\"]*\"", "$1\"1\"")
                                    .replaceAll("\"layoutVersion\": \\d+", "\"layoutVersion\": 1")
                                    .replaceAll("(\"(aeron|socketBytes)\", \"value\": )[^,]+", "$1\"1\"")
                                    .replaceAll("(\"(linkAddresses|memoryNodes)\": )\\[[^]]*]", "$1[]")
                            + "\n")
                    .isEqualTo(Files.readString(Path.of("src/test/resources/golden/info.json")));
        }
    }

    @Test
    @Tag("long")
    void shouldShowWhatLinksWouldUse() throws Exception {
        final Map<String, String> set = Map.of(
                "SEGNO_NET", "127.0.0.0/8", "SEGNO_MTU", "1408", "SEGNO_PORT_RANGE", "7001:7100", "SEGNO_DIR", "/tmp");
        try (SegnoProcess info = SegnoProcess.start(set, "info", "--format", "csv")) {
            assertThat(info.exitCode()).as(info.error()).isZero();
            assertThat(info.output())
                    .anyMatch(line -> line.startsWith("ports,7001:7100,SEGNO_PORT_RANGE,"))
                    .anyMatch(line -> line.matches("socketBytes,\\d+,net.core.rmem_max,.*"))
                    .contains("driverBytes,13631488,SEGNO_DIR,\"files of each process that has links,"
                            + " more if ranks x engines > 200; below /tmp\"")
                    .contains("lo,127.0.0.1,1408,3563520,SEGNO_NET=127.0.0.0/8");
        }
        final Map<String, String> wrong = Map.of("SEGNO_NET", "198.51.100.0/24", "SEGNO_PORT_RANGE", "none");
        try (SegnoProcess info = SegnoProcess.start(wrong, "info")) {
            assertThat(info.exitCode()).as(info.error()).isZero();
            assertThat(info.output())
                    .anyMatch(line -> line.contains("this host has no address in SEGNO_NET=198.51.100.0/24"))
                    .anyMatch(line -> line.contains("SEGNO_PORT_RANGE must be the first and the last port"));
        }
    }

    @Test
    @Tag("long")
    void shouldListTheAlgorithmsThatTheTableOfASettingSelects(@TempDir Path directory) throws Exception {
        final Path table = Files.writeString(directory.resolve("table"), "broadcast k-nomial any any\n");
        final Map<String, String> set = Map.of("SEGNO_ALGORITHM_TABLE", table.toString());
        try (SegnoProcess info = SegnoProcess.start(set, "info", "--algorithms", "--format", "csv")) {
            assertThat(info.exitCode()).as(info.error()).isZero();
            assertThat(info.output())
                    .filteredOn(line -> line.startsWith("broadcast,"))
                    .first()
                    .asString()
                    .startsWith("broadcast,k-nomial,any,any,");
        }
        try (SegnoProcess info = SegnoProcess.start(
                Map.of(),
                "info",
                "--algorithms",
                "--algorithm-table",
                directory.resolve("none").toString())) {
            assertThat(info.exitCode()).isEqualTo(2);
            assertThat(info.error()).contains("the table of algorithms cannot be read: file=");
        }
    }

    /** The launcher, which is the hub, has written less than a node's file: the rank has first touched the pages. */
    @Test
    @Tag("long")
    void shouldShowWhereTheMemoryOfAJobLies(@TempDir Path parent) throws Exception {
        assumeTrue(Files.isReadable(Path.of("/proc/self/numa_maps")), "the kernel does not show memory nodes");
        assumeTrue(Files.isReadable(Path.of("/proc/self/io")), "the kernel does not count written bytes");
        try (WatchedJob job = WatchedJob.start(parent)) {
            final SegnoProcess info = job.look("info", job.name(), "--rank", "1", "--format", "csv");
            assertThat(info.exitCode()).as(info.error()).isZero();
            final Matcher row = Pattern.compile("1,(\\d+),runs,\"?[0-9,-]+\"?,\\d+,(\\d+),(true|false)")
                    .matcher(String.join("\n", info.output()));
            long bytes = 0;
            long pid = 0;
            while (row.find()) {
                pid = Long.parseLong(row.group(1));
                bytes += Long.parseLong(row.group(2));
            }
            final long launcher = ProcessHandle.of(pid)
                    .flatMap(ProcessHandle::parent)
                    .orElseThrow()
                    .pid();
            assertThat(bytes).isBetween(1L << 20, written(pid)).isGreaterThan(written(launcher));
        }
    }

    private static long written(long pid) throws IOException {
        final String field = "wchar: ";
        return Files.readAllLines(Path.of("/proc/" + pid + "/io")).stream()
                .filter(line -> line.startsWith(field))
                .mapToLong(line -> Long.parseLong(line.substring(field.length())))
                .sum();
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
