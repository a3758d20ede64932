package org.segno.node;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.file.Path;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.segno.engine.job.JobId;
import org.segno.status.SegnoException;

class JobConfigTest {
    private static final Map<String, String> MEMBER =
            Map.of("SEGNO_RANK", "2", "SEGNO_SIZE", "4", "SEGNO_JOB", "halo-0123456789abcdef");

    @Test
    void shouldBeOneRankAloneWhenNothingIsSet() {
        final JobConfig alone = JobConfig.fromEnvironment(Map.of("SEGNO_DIRECTION", "east"));

        assertThat(alone.rank()).isZero();
        assertThat(alone.size()).isEqualTo(1);
        assertThat(alone.directory()).isEqualTo(Path.of("/dev/shm"));
        assertThat(alone.joinTimeout()).isEqualTo(Duration.ofSeconds(30));
        assertThat(alone.jobName()).isNotEqualTo(JobConfig.alone().jobName());
    }

    @Test
    void shouldAssumeOneHostWhenNoLocalRanksAreSet() {
        final JobConfig member = JobConfig.fromEnvironment(MEMBER);

        assertThat(member.jobName()).isEqualTo("halo-0123456789abcdef");
        assertThat(member.rank()).isEqualTo(2);
        assertThat(member.size()).isEqualTo(4);
        assertThat(member.localRank()).isEqualTo(2);
        assertThat(member.localSize()).isEqualTo(4);
    }

    @Test
    void shouldReadBackAllThatItWrites() {
        final JobConfig config = JobConfig.of("job", 5, 6)
                .withLocal(1, 2)
                .withDirectory(Path.of("/tmp"))
                .withJoinTimeout(Duration.ofMillis(1_500))
                .withKeep(true)
                .withLaunched(true)
                .withEngineCore(3);

        final JobConfig read = JobConfig.fromEnvironment(config.toEnvironment());

        assertThat(read).usingRecursiveComparison().isEqualTo(config);
    }

    @ParameterizedTest
    @CsvSource({"100ns,100", "5us,5000", "2ms,2000000", "30s,30000000000", "1m,60000000000", "1H,3600000000000"})
    void shouldReadTimes(String text, long nanoseconds) {
        final JobConfig config = JobConfig.fromEnvironment(Map.of("SEGNO_START_TIMEOUT", text));

        assertThat(config.joinTimeout().toNanos()).isEqualTo(nanoseconds);
    }

    @ParameterizedTest
    @CsvSource({"30s,30s", "1500ms,1500ms", "120m,2h", "90s,90s", "1000001ns,1000001ns", "2000us,2ms"})
    void shouldWriteTimesInReadableUnits(String text, String written) {
        final JobConfig config = JobConfig.fromEnvironment(Map.of("SEGNO_START_TIMEOUT", text));

        assertThat(config.toEnvironment()).containsEntry("SEGNO_START_TIMEOUT", written);
    }

    @ParameterizedTest
    @CsvSource({
        "SEGNO_RANK, four, SEGNO_RANK must be a whole number: 'four'",
        "SEGNO_RANK, 4, SEGNO_RANK=4",
        "SEGNO_RANK, -1, SEGNO_RANK=-1",
        "SEGNO_SIZE, '', set SEGNO_SIZE too",
        "SEGNO_JOB, a/b, a/b",
        "SEGNO_LOCAL_RANK, 0, set SEGNO_LOCAL_SIZE too",
        "SEGNO_START_TIMEOUT, 30, as 30s: '30'",
        "SEGNO_START_TIMEOUT, 0s, SEGNO_START_TIMEOUT",
        "SEGNO_START_TIMEOUT, 99999999999999999h, SEGNO_START_TIMEOUT",
        "SEGNO_KEEP, yes, SEGNO_KEEP must be true or false: 'yes'",
        "SEGNO_ENGINE_CORE, -1, 'core must not be negative: core=-1; unset SEGNO_ENGINE_CORE for none'",
        "SEGNO_LAUNCHED, 1, SEGNO_LAUNCHED must be true or false: '1'"
    })
    void shouldNameTheVariableThatIsWrong(String name, String value, String message) {
        final Map<String, String> environment = new HashMap<>(MEMBER);
        environment.put(name, value);

        assertThatThrownBy(() -> JobConfig.fromEnvironment(environment))
                .isInstanceOf(SegnoException.class)
                .hasMessageContaining(message);
    }

    @Test
    void shouldNameTheMissingSettingWhenOnlyHalfIsSet() {
        assertThatThrownBy(() -> JobConfig.fromEnvironment(Map.of("SEGNO_RANK", "1")))
                .isInstanceOf(SegnoException.class)
                .hasMessageContaining("set SEGNO_SIZE, SEGNO_JOB too");
    }

    @Test
    void shouldCountEmptyVariablesAndPropertiesAsNotSet() {
        final Map<String, String> empty = new HashMap<>();
        for (final String name : List.of("SIZE", "RANK", "JOB", "DIR", "START_TIMEOUT", "KEEP", "ENGINE_CORE")) {
            empty.put("SEGNO_" + name, "");
        }
        empty.put("SEGNO_LAUNCHED", " ");
        final JobConfig alone = JobConfig.fromEnvironment(empty);
        assertThat(alone.size()).isEqualTo(1);
        assertThat(alone.directory()).isEqualTo(JobConfig.alone().directory());
        assertThat(alone.joinTimeout()).isEqualTo(Duration.ofSeconds(30));
        assertThat(alone.keep()).isFalse();
        assertThat(alone.launched()).isFalse();
        assertThat(alone.engineCore()).isEmpty();
        System.setProperty("segno.start-timeout", "");
        try {
            assertThat(JobConfig.fromEnvironment().joinTimeout()).isEqualTo(Duration.ofSeconds(30));
        } finally {
            System.clearProperty("segno.start-timeout");
        }
    }

    @Test
    void shouldPutPropertiesBeforeVariables() {
        System.setProperty("segno.start-timeout", "7s");
        try {
            assertThat(JobConfig.fromEnvironment().joinTimeout()).isEqualTo(Duration.ofSeconds(7));
        } finally {
            System.clearProperty("segno.start-timeout");
        }
    }

    @Test
    void shouldRefuseRanksOutsideTheSize() {
        assertThatThrownBy(() -> JobConfig.of("job", 4, 4))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("rank=4, size=4");
        assertThatThrownBy(() -> JobConfig.of("job", 0, 4).withLocal(0, 5))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("local size 5, size 4");
    }

    @Test
    void shouldReadAnIdAsItWasWritten() {
        final JobId id = JobId.random();

        assertThat(JobId.parse(id.toString())).isEqualTo(id);
        assertThat(JobId.parse("00000000000000010000000000000002")).isEqualTo(new JobId(1, 2));
        assertThatThrownBy(() -> JobId.parse("12")).isInstanceOf(IllegalArgumentException.class);
        assertThat(JobConfig.uniqueName("cg")).matches("cg-[0-9a-f]{16}");
    }

    @Test
    void shouldReadWhereRanksOfSeveralHostsMeet() {
        final Map<String, String> variables = new HashMap<>(Map.of(
                "SEGNO_RANK", "2",
                "SEGNO_SIZE", "4",
                "SEGNO_LOCAL_RANK", "0",
                "SEGNO_LOCAL_SIZE", "2",
                "SEGNO_JOB", "far",
                "SEGNO_HUB", "[::1]:7000",
                "SEGNO_SECRET_FILE", "/run/secret",
                "SEGNO_SILENCE", "5s"));
        final JobConfig config = JobConfig.fromEnvironment(variables);

        assertThat(config.hub().orElseThrow().getPort()).isEqualTo(7000);
        assertThat(config.secretFile()).contains(Path.of("/run/secret"));
        assertThat(config.silence()).isEqualTo(Duration.ofSeconds(5));
        assertThat(JobConfig.fromEnvironment(config.toEnvironment()).toEnvironment())
                .isEqualTo(config.toEnvironment());

        variables.put("SEGNO_LAUNCHED", "true");
        assertThat(JobConfig.fromEnvironment(variables).hub())
                .as("the launcher's")
                .isEmpty();
        variables.put("SEGNO_LAUNCHED", "false");
        for (final String wrong : List.of("7000", ":7000", "127.0.0.1", "127.0.0.1:0", "127.0.0.1:x")) {
            variables.put("SEGNO_HUB", wrong);
            assertThatThrownBy(() -> JobConfig.fromEnvironment(variables))
                    .isInstanceOf(SegnoException.class)
                    .hasMessageContaining("SEGNO_HUB")
                    .hasMessageContaining("'" + wrong + "'");
        }
        variables.put("SEGNO_HUB", "127.0.0.1:7000");
        variables.remove("SEGNO_SECRET_FILE");
        assertThatThrownBy(() -> JobConfig.fromEnvironment(variables))
                .isInstanceOf(SegnoException.class)
                .hasMessageContaining("SEGNO_SECRET_FILE");
        variables.put("SEGNO_SECRET_FILE", "/run/secret");
        variables.put("SEGNO_SILENCE", "1ms");
        assertThatThrownBy(() -> JobConfig.fromEnvironment(variables))
                .isInstanceOf(SegnoException.class)
                .hasMessageContaining("SEGNO_SILENCE");
    }
}
