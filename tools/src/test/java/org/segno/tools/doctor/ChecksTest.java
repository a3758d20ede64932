package org.segno.tools.doctor;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.segno.tools.command.ExitCode;
import org.segno.tools.doctor.Finding.State;
import org.segno.tools.output.Format;
import org.segno.transport.aeron.LinkSpace;

/** Checks over real files with contents as on other hosts. */
final class ChecksTest {
    @TempDir
    private Path root = Path.of("");

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "CLOCK|/sys/devices/system/clocksource/clocksource0/current_clocksource|tsc|OK",
                "CLOCK|/sys/devices/system/clocksource/clocksource0/current_clocksource|hpet|WARN",
                "CLOCK|/nothing|-|NOTE",
                "PROCESSOR|/sys/devices/system/cpu/cpu0/cpufreq/scaling_governor|performance|OK",
                "PROCESSOR|/sys/devices/system/cpu/cpu0/cpufreq/scaling_governor|powersave|WARN",
                "PROCESSOR|/nothing|-|NOTE",
                "UDP|/proc/sys/net/core/rmem_max|4194304|OK",
                "UDP|/proc/sys/net/core/rmem_max|212992|NOTE",
                "UDP|/nothing|-|NOTE",
                "LIMIT|/proc/self/limits|Max locked memory         8388608              8388608              bytes|WARN",
                "LIMIT|/proc/self/limits|Max locked memory         unlimited            unlimited            bytes|OK",
                "HUGE|/sys/kernel/mm/transparent_hugepage/shmem_enabled|always within_size [advise] never deny force|NOTE",
                "HUGE|/proc/meminfo|HugePages_Free:      512|OK",
            })
    void shouldJudgeTheContentOfAFile(String check, String file, String text, State first) throws IOException {
        write(file, text);

        assertThat(check(check).look(new Host(root, 2), job(2)).get(0).state()).isEqualTo(first);
    }

    @ParameterizedTest
    @CsvSource({"2, 2, OK", "1, 2, OK", "4, 2, WARN"})
    void shouldJudgeRanksAgainstCores(int ranks, int cores, State state) {
        assertThat(new CoreCheck()
                        .look(new Host(root, cores), job(ranks))
                        .get(0)
                        .state())
                .isEqualTo(state);
    }

    @ParameterizedTest
    @CsvSource({"max 100000, OK", "150000 100000, WARN"})
    void shouldJudgeTheLimitOfAContainer(String limit, State state) throws IOException {
        write("/sys/fs/cgroup/cpu.max", limit);

        assertThat(new RuntimeCheck().look(new Host(root, 2), job(2)).get(1).state())
                .isEqualTo(state);
    }

    @ParameterizedTest
    @CsvSource({"100, 10, 20, FAIL", "100, 30, 20, WARN", "100, 40, 20, OK"})
    void shouldJudgeTheRoomThatAJobNeeds(long total, long free, long needed, State state) {
        assertThat(SharedMemoryCheck.room(job(2), total, free, needed).state()).isEqualTo(state);
    }

    @ParameterizedTest
    @CsvSource({"0777, FAIL", "1777, OK", "0700, OK", "0755, OK"})
    void shouldJudgeThePermissionToRemoveAJobDirectory(String mode, State state) throws IOException {
        Files.setAttribute(root, "unix:mode", Integer.parseInt(mode, 8));
        final CheckedJob job = new CheckedJob(2, true, root);

        assertThat(new SharedMemoryCheck().look(Host.here(), job))
                .filteredOn(finding -> finding.check().equals("shared-memory-mode"))
                .singleElement()
                .extracting(Finding::state)
                .isEqualTo(state);
    }

    @Test
    void shouldNameTheSettingThatMoreRanksNeed() {
        final Finding finding =
                new SharedMemoryCheck().look(Host.here(), job(800)).get(0);

        assertThat(finding.state()).isEqualTo(State.FAIL);
        assertThat(finding.measured()).contains("withLaneBudgetBytes must be at least");
        assertThat(finding.remedy()).contains("--lane-budget-bytes");
    }

    @Test
    void shouldFailWhereNoDirectoryCanBeMade() {
        final CheckedJob job = new CheckedJob(2, true, root.resolve("nothing"));

        assertThat(new SharedMemoryCheck().look(Host.here(), job).get(0).state())
                .isEqualTo(State.FAIL);
    }

    @Test
    void shouldMeasureOnRequest() {
        assertThat(new DeepCheck().look(Host.here(), job(2)))
                .extracting(Finding::check)
                .containsExactly("copy", "timer", "wake-up");
    }

    @Test
    void shouldEndWithOneOnAFailureAndOnAWarningWhenStrict() {
        final Finding warning = Finding.warning("a", "b", "c", "d");
        final Finding failure = Finding.failure("a", "b", "c", "d");

        assertThat(DoctorCommand.exitCode(List.of(warning), false)).isZero();
        assertThat(DoctorCommand.exitCode(List.of(warning), true)).isEqualTo(ExitCode.NEGATIVE_RESULT);
        assertThat(DoctorCommand.exitCode(List.of(failure), false)).isEqualTo(ExitCode.NEGATIVE_RESULT);
    }

    @Test
    void shouldJudgeTheRoomForLinksByTheRanksOfTheJob() {
        final long everything = 4 * (LinkSpace.ofProcess(4) + 3 * LinkSpace.ofEnd(65_504));
        final Finding enough = LinkCheck.room(job(4), everything);
        assertThat(enough.state()).isEqualTo(Finding.State.OK);
        assertThat(enough.measured()).contains("3.4 MiB (MTU up to 1500)");
        final Finding tooLittle = LinkCheck.room(job(4), everything - 1);
        assertThat(tooLittle.state()).isEqualTo(Finding.State.WARN);
        assertThat(LinkCheck.room(job(1), LinkSpace.ofProcess(1)).state()).isEqualTo(Finding.State.OK);
        assertThat(new LinkCheck().look(new Host(root, 2), job(2)))
                .extracting(Finding::check)
                .containsExactly("link-mtu", "link-room");
    }

    @ParameterizedTest
    @CsvSource({"TABLE, doctor.table", "JSON, doctor.json"})
    void shouldEqualTheGoldenFile(Format format, String golden) throws IOException {
        final StringWriter text = new StringWriter();
        final List<Finding> findings = List.of(
                Finding.ok("jdk", "JDK 17"),
                Finding.note("governor", "governor not visible", "not comparable"),
                Finding.warning("cores", "4 ranks on 2 cores", "they wait", "use -n 2"),
                Finding.failure("shared-memory", "/dev/shm is full", "no start", "empty it"));

        DoctorCommand.report(findings, job(4), format).print(new PrintWriter(text), format);

        assertThat(text.toString()).isEqualTo(Files.readString(Path.of("src/test/resources/golden", golden)));
    }

    private static Check check(String name) {
        return switch (name) {
            case "CLOCK" -> new ClockCheck();
            case "PROCESSOR" -> new ProcessorCheck();
            case "UDP" -> new UdpCheck();
            case "LIMIT" -> new LimitCheck();
            default -> new HugePageCheck();
        };
    }

    private CheckedJob job(int ranks) {
        return new CheckedJob(ranks, true, root);
    }

    private void write(String file, String text) throws IOException {
        final Path path = root.resolve(file.substring(1));
        Files.createDirectories(path.getParent());
        Files.writeString(path, text + "\n");
    }
}
