package org.segno.bench.experiment;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

class MixedLengthsTest {
    private final MixedLengths lengths = new MixedLengths();

    @Test
    void shouldBeMultiplesOfAWordUpToTheLongest() {
        assertThat(IntStream.generate(lengths::next).limit(1024).boxed())
                .allMatch(length -> length >= Long.BYTES && length <= MixedLengths.LONGEST && length % Long.BYTES == 0);
    }

    @Test
    void shouldBeTheSameForEveryPeerAndStartAgain() {
        final int[] first = IntStream.generate(lengths::next).limit(1024).toArray();

        assertThat(IntStream.generate(lengths::next).limit(1024).toArray()).isEqualTo(first);
        assertThat(IntStream.generate(new MixedLengths()::next).limit(1024).toArray())
                .isEqualTo(first);
        assertThat(IntStream.of(first).average().orElseThrow()).isCloseTo(MixedLengths.mean(), within(0.5));
    }
}
