package org.segno.engine.descriptor;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Random;
import org.junit.jupiter.api.RepeatedTest;
import org.junit.jupiter.api.RepetitionInfo;
import org.junit.jupiter.api.Test;
import org.segno.engine.memory.MappedMemory;
import org.segno.engine.memory.Memory;

/** Encoders of a descriptor's words and their decoders, compared for random and for extreme values of all fields. */
class DescriptorWordsTest {
    private static final int TRIALS = 10_000;
    private static final int[] EXTREMES = {Integer.MIN_VALUE, -2, -1, 0, 1, Short.MAX_VALUE, 0xFFFF, Integer.MAX_VALUE};

    private static int any(Random chance) {
        return chance.nextInt(3) == 0 ? EXTREMES[chance.nextInt(EXTREMES.length)] : chance.nextInt();
    }

    private static int upTo(Random chance, int most) {
        return switch (chance.nextInt(4)) {
            case 0 -> 0;
            case 1 -> most;
            default -> chance.nextInt(most + 1);
        };
    }

    @RepeatedTest(3)
    void shouldDecodeTheHeadThatWasEncoded(RepetitionInfo seed) {
        final Random chance = new Random(seed.getCurrentRepetition());
        for (int trial = 0; trial < TRIALS; trial++) {
            final int operation = upTo(chance, 0xFF);
            final int flags = upTo(chance, 0xFF);
            final int further = upTo(chance, 0xFF);
            final int rank = any(chance);
            final long head = Descriptor.head(operation, flags, rank);
            final String as = "operation " + operation + " flags " + flags + " rank " + rank;
            assertThat(Descriptor.operation(head)).as(as).isEqualTo(operation);
            assertThat(Descriptor.rank(head)).as(as).isEqualTo(rank);
            assertThat(Descriptor.reserved(head)).as(as).isZero();
            assertThat(Descriptor.alternate(head)).as(as).isEqualTo(flags & 1);
            assertThat(Descriptor.hasExactly(head, flags)).as(as).isTrue();
            assertThat(Descriptor.hasOnly(head, further)).as(as).isEqualTo((flags | further) == further);
            assertThat(Descriptor.withFlags(head, further))
                    .as(as)
                    .isEqualTo(Descriptor.head(operation, flags | further, rank));
            for (int flag = 1; flag <= 128; flag *= 2) {
                assertThat(Descriptor.has(head, flag)).as(as).isEqualTo((flags & flag) != 0);
            }
        }
    }

    @RepeatedTest(3)
    void shouldFindAnyValueOfTheReservedField(RepetitionInfo seed) {
        final Random chance = new Random(seed.getCurrentRepetition());
        for (int reserved = 1; reserved <= 0xFFFF; reserved++) {
            final int flags = upTo(chance, 0xFF);
            final int rank = any(chance);
            final long head = Descriptor.head(Operation.PUT, flags, rank) | (long) reserved << 16;
            assertThat(Descriptor.reserved(head)).isEqualTo(reserved);
            assertThat(Descriptor.hasOnly(head, 0xFF))
                    .as("reserved " + reserved)
                    .isFalse();
            assertThat(Descriptor.hasExactly(head, flags))
                    .as("reserved " + reserved)
                    .isFalse();
            assertThat(Descriptor.operation(head)).isEqualTo(Operation.PUT);
            assertThat(Descriptor.rank(head)).isEqualTo(rank);
            assertThat(Descriptor.alternate(head)).isEqualTo(flags & 1);
        }
    }

    @RepeatedTest(3)
    void shouldDecodeTheCountersAndWindowsThatWereEncoded(RepetitionInfo seed) {
        final Random chance = new Random(seed.getCurrentRepetition());
        for (int trial = 0; trial < TRIALS; trial++) {
            final int first = any(chance);
            final int second = any(chance);
            final String as = first + " and " + second;
            final long target = Descriptor.counterTarget(first, second);
            assertThat(Descriptor.counter(target)).as(as).isEqualTo(first);
            assertThat(Descriptor.incarnation(target)).as(as).isEqualTo(second);
            assertThat(Descriptor.window(Descriptor.operandTarget(first)))
                    .as(as)
                    .isEqualTo(first);
            final long source = Descriptor.source(first, second);
            assertThat(Descriptor.window(source)).as(as).isEqualTo(first);
            assertThat(Descriptor.landingCounter(source)).as(as).isEqualTo(first);
            assertThat(Descriptor.injectionCounter(source)).as(as).isEqualTo(second);
            final long metadata = Descriptor.metadata(first, second);
            assertThat(Descriptor.window(metadata)).as(as).isEqualTo(first);
            assertThat(Descriptor.payloadLength(metadata)).as(as).isEqualTo(second);
            assertThat(Descriptor.landingIncarnation(first)).as(as).isEqualTo(first);
        }
    }

    @RepeatedTest(3)
    void shouldNameACounterInTheFormOfAWindowsId(RepetitionInfo seed) {
        final Random chance = new Random(seed.getCurrentRepetition());
        for (int trial = 0; trial < TRIALS; trial++) {
            final int counter = upTo(chance, 0xFFFF);
            final int incarnation = any(chance) & Integer.MAX_VALUE;
            final String as = counter + " in use " + incarnation;
            final int operand = Descriptor.operand(counter, incarnation);
            assertThat(operand).as(as).isNotNegative();
            assertThat(Descriptor.operandCounter(operand)).as(as).isEqualTo(counter);
            assertThat(Descriptor.isOperandOf(operand, incarnation)).as(as).isTrue();
            assertThat(Descriptor.isOperandOf(operand, incarnation + 1)).as(as).isFalse();
            // The other counter of a pair has the next id, which changes the lowest bit of an even one only.
            final int even = Descriptor.operand(counter & -2, incarnation);
            assertThat(Descriptor.operandCounter(even) + 1).as(as).isEqualTo(counter | 1);
        }
    }

    @RepeatedTest(3)
    void shouldDecodeTheMessageThatWasEncoded(RepetitionInfo seed) {
        final Random chance = new Random(seed.getCurrentRepetition());
        for (int trial = 0; trial < TRIALS; trial++) {
            final int dispatchId = upTo(chance, 0xFFFF);
            final int context = upTo(chance, 0xFFFF);
            final int other = upTo(chance, 0xFFFF);
            final int metadataLength = upTo(chance, 0xFF);
            final int detail = upTo(chance, 0xFF);
            final int rank = any(chance);
            final String as = dispatchId + " " + context + " " + metadataLength + " " + detail + " " + rank;
            final long target = Descriptor.messageTarget(dispatchId, context, metadataLength, detail);
            assertThat(Descriptor.dispatchId(target)).as(as).isEqualTo(dispatchId);
            assertThat(Descriptor.context(target)).as(as).isEqualTo(context);
            assertThat(Descriptor.metadataLength(target)).as(as).isEqualTo(metadataLength);
            assertThat(Descriptor.immediateLength(target)).as(as).isEqualTo(detail);
            assertThat(Descriptor.targets(target)).as(as).isEqualTo(detail);
            assertThat(Descriptor.withContext(target, other))
                    .as(as)
                    .isEqualTo(Descriptor.messageTarget(dispatchId, other, metadataLength, detail));
            assertThat(Descriptor.withoutTargets(target))
                    .as(as)
                    .isEqualTo(Descriptor.messageTarget(dispatchId, 0, metadataLength, 0));
            final long notice = Descriptor.notice(dispatchId, context);
            assertThat(Descriptor.dispatchId(notice)).as(as).isEqualTo(dispatchId);
            assertThat(Descriptor.context(notice)).as(as).isEqualTo(context);
            final long destination = Descriptor.destination(Descriptor.head(0xFF, 0xFF, rank), target);
            assertThat(Descriptor.rank(destination)).as(as).isEqualTo(rank);
            assertThat(Descriptor.context(destination)).as(as).isEqualTo(context);
            assertThat(destination).as(as).isEqualTo(Descriptor.destination(Descriptor.head(0, 0, rank), target));
        }
    }

    @RepeatedTest(3)
    void shouldDecodeTheFurtherTargetsThatWereEncoded(RepetitionInfo seed) {
        final Random chance = new Random(seed.getCurrentRepetition());
        final int words = Descriptor.LENGTH / Long.BYTES;
        for (int trial = 0; trial < TRIALS; trial++) {
            final int rank = upTo(chance, 0xFFFF);
            final int context = upTo(chance, 0xFFFF);
            final int further = Descriptor.furtherTarget(rank, context);
            assertThat(Descriptor.furtherRank(further)).isEqualTo(rank);
            assertThat(Descriptor.furtherContext(further)).isEqualTo(context);
            final long destination = Descriptor.destination(further);
            assertThat(Descriptor.rank(destination)).isEqualTo(rank);
            assertThat(Descriptor.context(destination)).isEqualTo(context);
            assertThat(destination)
                    .as("the first target has the same form")
                    .isEqualTo(Descriptor.destination(
                            Descriptor.head(Operation.MULTICAST, 0, rank), Descriptor.messageTarget(9, context, 8, 2)));

            final long[] all = chance.longs(2L * words).toArray();
            final long[] before = all.clone();
            final int target = 1 + chance.nextInt(Descriptor.MAX_TARGETS - 1);
            Descriptor.putFurtherTarget(all, words, target, further);
            for (int other = 1; other < Descriptor.MAX_TARGETS; other++) {
                assertThat(Descriptor.furtherTarget(all, words, other))
                        .isEqualTo(other == target ? further : Descriptor.furtherTarget(before, words, other));
            }
            Descriptor.putFurtherTarget(all, words, target, Descriptor.furtherTarget(before, words, target));
            assertThat(all).isEqualTo(before);
        }
    }

    /** Compares the decoders of words with the view of a descriptor in memory. */
    @Test
    void shouldReadTheFieldsThatTheViewReads() {
        final Random chance = new Random(1);
        final Memory memory = MappedMemory.ofProcess(Descriptor.LENGTH);
        final Descriptor view = new Descriptor(memory).wrap(0);
        for (int trial = 0; trial < TRIALS; trial++) {
            final long[] words = new long[Descriptor.LENGTH / Long.BYTES];
            for (int i = 0; i < words.length; i++) {
                words[i] = chance.nextLong();
                memory.putLong((long) i * Long.BYTES, words[i]);
            }
            final long head = words[0];
            final long target = words[Descriptor.TARGET_OFFSET / Long.BYTES];
            final long source = words[Descriptor.SOURCE_OPERAND_OFFSET / Long.BYTES];
            assertThat((byte) Descriptor.operation(head)).isEqualTo((byte) view.operation());
            assertThat(Descriptor.reserved(head)).isEqualTo(view.reserved());
            assertThat(Descriptor.rank(head)).isEqualTo(view.rank());
            for (int flag = 1; flag <= 128; flag *= 2) {
                assertThat(Descriptor.has(head, flag)).isEqualTo(view.has(flag));
            }
            assertThat(Descriptor.counter(target)).isEqualTo(view.target());
            assertThat(Descriptor.incarnation(target)).isEqualTo(view.incarnation());
            assertThat(Descriptor.dispatchId(target)).isEqualTo(view.dispatchId());
            assertThat(Descriptor.context(target)).isEqualTo(view.context());
            assertThat((byte) Descriptor.metadataLength(target)).isEqualTo((byte) view.metadataLength());
            assertThat((byte) Descriptor.immediateLength(target)).isEqualTo((byte) view.immediateLength());
            assertThat((byte) Descriptor.targets(target)).isEqualTo((byte) view.targets());
            assertThat(Descriptor.window(source)).isEqualTo(view.sourceOperand());
            assertThat(Descriptor.injectionCounter(source)).isEqualTo(view.injectionCounter());
            assertThat(Descriptor.window(words[Descriptor.METADATA_OPERAND_OFFSET / Long.BYTES]))
                    .isEqualTo(view.metadataOperand());
            for (int i = 1; i < Descriptor.MAX_TARGETS; i++) {
                final int further = Descriptor.furtherTarget(words, 0, i);
                assertThat(Descriptor.furtherRank(further)).isEqualTo(view.targetRank(i));
                assertThat(Descriptor.furtherContext(further)).isEqualTo(view.targetContext(i));
            }
        }
    }
}
