package org.segno.tools.observe;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import picocli.CommandLine.TypeConversionException;

final class RankSetTest {
    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {"0,2-3|0 2 3", "^1|0 2 3 4", "0-4,^3|0 1 2 4", "^0,^4|1 2 3", "4|4"})
    void shouldContainTheRanksOfTheList(String list, String ranks) {
        final RankSet set = new RankSet.Converter().convert(list);

        assertThat(IntStream.range(0, 5)
                        .filter(set::test)
                        .mapToObj(Integer::toString)
                        .collect(Collectors.joining(" ")))
                .isEqualTo(ranks);
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "a", "1,", "-3", "1-", "^", "99999999999"})
    void shouldRefuseAnInvalidList(String list) {
        assertThatThrownBy(() -> new RankSet.Converter().convert(list))
                .isInstanceOf(TypeConversionException.class)
                .hasMessageContaining("'" + list + "'");
    }
}
