package org.segno.bench.jmh;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Which allocation of an operation is that of JMH. */
class PartCostTest {
    /** The smallest object has 16 bytes. */
    @ParameterizedTest
    @CsvSource({
        "10, 0.0099, true",
        "10, 0.02, false",
        "10000, 0.48, true",
        "10000, 0.5, false",
        "1000000, 7.9, true",
        "1000000, 8.1, false",
        "400000000, 7.9, true",
        "400000000, 16, false",
    })
    void shouldRejectWhatNeitherJmhNorTheProfilerExplains(double operationNs, double bytes, boolean isFit) {
        final double ownBytes = PartCost.ownBytes(operationNs, 500_000_000);
        assertThat(new PartCost("part", null, operationNs, operationNs, operationNs, bytes, ownBytes, false).isFit())
                .isEqualTo(isFit);
    }
}
