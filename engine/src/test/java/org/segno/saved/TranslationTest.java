package org.segno.saved;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.segno.engine.descriptor.Descriptor;
import org.segno.engine.descriptor.Operation;

/** Translation of descriptors: the parts that get another name, and the others, which stay unchanged. */
class TranslationTest {
    private static final int WINDOW = Descriptor.SOURCE_OPERAND_OFFSET / Long.BYTES;
    private static final int METADATA = Descriptor.METADATA_OPERAND_OFFSET / Long.BYTES;
    private static final int FURTHER = Descriptor.FURTHER_TARGETS_OFFSET / Long.BYTES;

    /**
     * Translation with another number for each context of a rank, and numbers of windows and counters larger by a
     * hundred.
     */
    private static final class Shifting extends Translation {
        @Override
        int window(int id) {
            return id + 100;
        }

        @Override
        long reception(int id, int incarnation, boolean pair) {
            throw new AssertionError("no reception counter is named: " + id);
        }

        @Override
        int incarnation(int counter) {
            throw new AssertionError("no reception counter is an operand: " + counter);
        }

        @Override
        int injection(int id) {
            return id + 100;
        }

        @Override
        long target(int rank, int counter, int incarnation, boolean pair) {
            throw new AssertionError("no counter of a peer is named: " + counter);
        }

        @Override
        int context(int rank, int context) {
            return (context + rank) % 64;
        }
    }

    private static long targets(int rank, int context, int nextRank, int nextContext) {
        return rank | (long) context << 16 | (long) nextRank << 32 | (long) nextContext << 48;
    }

    private static long[] multicast(int count) {
        final long[] words = new long[Descriptor.LENGTH / Long.BYTES];
        words[0] = Descriptor.head(Operation.MULTICAST, 0, 5);
        words[1] = 0xABCDL | 3L << 16 | 24L << 32 | (long) count << 40;
        words[2] = 4096;
        words[WINDOW] = Descriptor.source(7, 8);
        words[4] = 64;
        words[METADATA] = Descriptor.metadata(9, 1000);
        words[FURTHER] = targets(0xFFFF, 63, 1, 0);
        words[FURTHER + 1] = targets(2, 63, 40_000, 1);
        return words;
    }

    @Test
    void shouldTranslateEveryTargetOfAMulticastAndNothingElseOfIt() {
        final long[] words = multicast(Descriptor.MAX_TARGETS);
        new Shifting().translate(words);
        assertThat(words)
                .containsExactly(
                        Descriptor.head(Operation.MULTICAST, 0, 5),
                        0xABCDL | 8L << 16 | 24L << 32 | 5L << 40,
                        4096,
                        Descriptor.source(107, 108),
                        64,
                        Descriptor.metadata(109, 1000),
                        targets(0xFFFF, (63 + 0xFFFF) % 64, 1, 1),
                        targets(2, 1, 40_000, (1 + 40_000) % 64));
    }

    @Test
    void shouldRequestOnlyTheTargetsOfAMulticast() {
        final long[] words = multicast(2);
        new Shifting().translate(words);
        assertThat(words[FURTHER]).isEqualTo(targets(0xFFFF, (63 + 0xFFFF) % 64, 1, 0));
        assertThat(words[FURTHER + 1]).isEqualTo(targets(2, 63, 40_000, 1));
    }

    @Test
    void shouldTranslateTheOperandsOfACombineAndNothingElseOfIt() {
        final long[] words = combine(Descriptor.THIRD);
        new Shifting().translate(words);
        assertThat(words)
                .containsExactly(
                        Descriptor.head(Operation.COMBINE, Descriptor.THIRD, 0),
                        Descriptor.combineTarget(103, 6, 200),
                        4096,
                        Descriptor.source(107, 108),
                        64,
                        128,
                        109,
                        800);
    }

    @Test
    void shouldClearTheThirdOperandThatACombineDoesNotHave() {
        final long[] words = combine(Descriptor.REVERSED);
        new Shifting().translate(words);
        assertThat(words[1]).isEqualTo(Descriptor.combineTarget(103, 6, 200));
        assertThat(words[METADATA]).isZero();
        assertThat(words[FURTHER]).isZero();
        assertThat(words[7]).isEqualTo(800);
    }

    private static long[] combine(int flags) {
        return new long[] {
            Descriptor.head(Operation.COMBINE, flags, 0),
            Descriptor.combineTarget(3, 6, 200),
            4096,
            Descriptor.source(7, 8),
            64,
            128,
            9,
            800
        };
    }
}
