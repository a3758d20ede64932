package org.segno.node;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.RepeatedTest;
import org.junit.jupiter.api.RepetitionInfo;
import org.junit.jupiter.api.Test;
import org.segno.engine.job.Statement;
import org.segno.engine.memory.NodeDimensions;
import org.segno.link.Transport;
import org.segno.status.SegnoException;

/** What a rank states about its node is what the others read. */
class StatementsTest {
    private static NodeDimensions any(Random chance) {
        final int size = 1 + chance.nextInt(1 << 16);
        return new NodeDimensions(
                size,
                1 + chance.nextInt(size),
                1 + chance.nextInt(64),
                1 + chance.nextInt(64),
                1 + chance.nextInt(NodeDimensions.MAX_FIFOS - 2),
                1 << (1 + chance.nextInt(20)),
                1 + chance.nextInt(1 << 24),
                1 + chance.nextInt(1 << 20),
                1 << (1 + chance.nextInt(20)),
                1 + chance.nextInt(1 << 16),
                1 + chance.nextInt(1 << 16),
                1 + chance.nextInt(1 << 16),
                1 + chance.nextInt(1 << 16),
                1 << (12 + chance.nextInt(15)),
                chance.nextLong(NodeDimensions.MAX_WINDOW_BYTES + 1));
    }

    @RepeatedTest(200)
    void shouldKeepEveryDimension(RepetitionInfo repetition) {
        final NodeDimensions node = any(new Random(repetition.getCurrentRepetition()));
        assertThat(Statements.shape(Statements.shape(node), 3, node.size())).isEqualTo(node);
    }

    @RepeatedTest(Transport.MAX_ADDRESS_WORDS + 1)
    void shouldKeepEveryWordOfAnAddress(RepetitionInfo repetition) {
        final long[] words = new Random(repetition.getCurrentRepetition())
                .longs(repetition.getCurrentRepetition() - 1L)
                .toArray();
        assertThat(Statements.address(Statements.address(words))).isEqualTo(words);
    }

    @Test
    void shouldRefuseAnAddressOfTooManyWords() {
        assertThatThrownBy(() -> Statements.address(new long[Transport.MAX_ADDRESS_WORDS + 1]))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("at most " + Transport.MAX_ADDRESS_WORDS);
    }

    @Test
    void shouldNameTheRankWhoseShapeIsInvalid() {
        final List<Statement> shape = new ArrayList<>(Statements.shape(any(new Random(1))));
        assertThatThrownBy(() -> Statements.shape(shape.subList(0, 3), 7, 4))
                .isInstanceOf(SegnoException.class)
                .hasMessageContaining("rank 7");
        shape.set(0, new Statement(Statements.SHAPE, 0, 0));
        assertThatThrownBy(() -> Statements.shape(shape, 7, 4))
                .isInstanceOf(SegnoException.class)
                .hasMessageContaining("rank 7")
                .hasMessageContaining("mapped");
    }

    @Test
    void shouldTakeNoMoreWordsThanWereStated() {
        assertThat(Statements.address(List.of(new Statement(Statements.ADDRESS, Long.MAX_VALUE, 5))))
                .containsExactly(5);
        assertThat(Statements.address(List.of(new Statement(Statements.ADDRESS, -1, 5))))
                .isEmpty();
    }
}
