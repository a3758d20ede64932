package org.segno.tools.command;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Duration;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.segno.node.JobEnvironment;
import picocli.CommandLine.TypeConversionException;

final class DurationConverterTest {
    private final DurationConverter converter = new DurationConverter();

    @ParameterizedTest
    @CsvSource({
        "100ns, 100",
        "5us, 5000",
        "2ms, 2000000",
        "30s, 30000000000",
        "30S, 30000000000",
        "1.5s, 1500000000",
        "5m, 300000000000",
        "1h, 3600000000000"
    })
    void shouldReadANumberWithItsUnit(String text, long ns) {
        assertThat(converter.convert(text)).isEqualTo(Duration.ofNanos(ns));
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "3", "s", "-1s", "3 days", "1e3s"})
    void shouldRefuseAnythingElseAndGiveAnExample(String text) {
        assertThatThrownBy(() -> converter.convert(text))
                .isInstanceOf(TypeConversionException.class)
                .hasMessageContaining("'" + text + "'")
                .hasMessageContaining("30s");
    }

    @ParameterizedTest
    @ValueSource(strings = {"876001h", "99999999999h", "99999999999999999999999999s"})
    void shouldRefuseATimeThatIsTooLongAndNameTheLimit(String text) {
        assertThatThrownBy(() -> converter.convert(text))
                .isInstanceOf(TypeConversionException.class)
                .hasMessage("'" + text + "' is too long: a time is at most 876000h");
    }

    @ParameterizedTest
    @ValueSource(strings = {"0ns", "7ns", "300ms", "90s", "2m", "1h"})
    void shouldReadTheTimesThatTheEngineWrites(String text) {
        assertThat(JobEnvironment.format(converter.convert(text))).isEqualTo(text);
    }
}
