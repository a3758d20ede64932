package org.segno.engine.dma;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.MethodSource;
import org.segno.combine.ElementType;
import org.segno.combine.Operator;
import org.segno.context.Context;
import org.segno.context.InjectionFifo;
import org.segno.engine.combine.Reference;
import org.segno.engine.descriptor.Descriptor;
import org.segno.engine.descriptor.Operation;
import org.segno.engine.memory.Memory;
import org.segno.engine.memory.NodeLayout.Part;
import org.segno.engine.memory.NodeSize;
import org.segno.memory.InjectionCounter;
import org.segno.memory.Window;
import org.segno.operation.Combine;
import org.segno.status.Refusal;

/** COMBINE with the operators of {@link Operator}, beside one element at a time. */
class CombineTest {
    private static final int WINDOW = 1 << 14;

    /** Twice the length of a block of the loops. */
    private static final int TWO_BLOCKS = 4096;

    private static final byte CANARY = 0x1D;

    @TempDir
    Path directory;

    private EngineFixture engines;
    private Context context;
    private Window source;
    private Window target;
    private Window third;
    private InjectionCounter done;

    @BeforeEach
    void make() {
        engines = EngineFixture.open(
                directory,
                NodeSize.small().ranks(1).fifos(3).windowBytes(4L * WINDOW).dimensions());
        context = engines.context(0);
        source = engines.client(0).window(WINDOW);
        target = engines.client(0).window(WINDOW);
        third = engines.client(0).window(WINDOW);
        done = engines.client(0).injectionCounter();
    }

    @AfterEach
    void close() {
        engines.close();
    }

    /** Forms of a COMBINE, by the operands that are equal. */
    private enum Form {
        TARGET_AND_SOURCE,
        REVERSED,
        TARGET_IS_SOURCE,
        THREE,
        THREE_TARGET_IS_SOURCE,
        THREE_TARGET_IS_THIRD,
        THREE_SOURCE_IS_THIRD,
        THREE_ALL_EQUAL;

        boolean hasThird() {
            return compareTo(THREE) >= 0;
        }

        boolean hasEqualSource() {
            return this == TARGET_IS_SOURCE || this == THREE_TARGET_IS_SOURCE || this == THREE_ALL_EQUAL;
        }
    }

    private static Stream<ElementType> types() {
        return Arrays.stream(ElementType.values());
    }

    private static List<Operator> operators(ElementType type) {
        return Arrays.stream(Operator.values())
                .filter(operator -> operator.appliesTo(type))
                .toList();
    }

    @ParameterizedTest
    @MethodSource("types")
    void shouldCombineEveryLengthByEveryOperatorInEveryForm(ElementType type) {
        final Random chance = new Random(type.code());
        for (final Operator operator : operators(type)) {
            for (final Form form : Form.values()) {
                for (final int length : lengths(type)) {
                    combine(type, operator, form, length, chance);
                }
            }
        }
        assertThat(done.valueAcquire()).isZero();
    }

    private static List<Integer> lengths(ElementType type) {
        final List<Integer> lengths = new ArrayList<>();
        for (int elements = 0; elements <= 9; elements++) {
            lengths.add(elements * type.length());
        }
        for (int elements = -2; elements <= 2; elements++) {
            lengths.add(TWO_BLOCKS / 2 + elements * type.length());
            lengths.add(TWO_BLOCKS + elements * type.length());
        }
        lengths.add(WINDOW - 4 * type.length());
        return lengths;
    }

    private void combine(ElementType type, Operator operator, Form form, int length, Random chance) {
        final int at = chance.nextInt(type.length() + 1);
        final byte[] first = put(source, type, at, length, chance);
        final byte[] second = put(third, type, at, length, chance);
        final byte[] before = put(target, type, at, length, chance);
        final Combine how = Combine.of(type, operator).completes(done);
        final byte[] left;
        final byte[] right;
        if (form.hasThird()) {
            final Window other = form == Form.THREE_TARGET_IS_THIRD || form == Form.THREE_ALL_EQUAL
                    ? target
                    : form == Form.THREE_SOURCE_IS_THIRD ? source : third;
            how.with(other, at);
            left = form.hasEqualSource() ? before : first;
            right = other == target ? before : other == source ? first : second;
        } else {
            final byte[] other = form.hasEqualSource() ? before : first;
            left = form == Form.REVERSED ? other : before;
            right = form == Form.REVERSED ? before : other;
            if (form == Form.REVERSED) {
                how.reversed();
            }
        }
        done.expect(length);
        assertThat(context.combine(form.hasEqualSource() ? target : source, at, target, at, length, how))
                .isNotNegative();
        assertThat(engines.pass(0)).isEqualTo(1);

        final byte[] expected = Reference.combine(type, operator, left, right);
        assertThat(Reference.areEqual(type, expected, get(target, at, length)))
                .as("%s %s %s length %d at %d", type, operator, form, length, at)
                .isTrue();
        assertThat(target.buffer().getByte(at + length)).isEqualTo(CANARY);
        assertThat(at == 0 || target.buffer().getByte(at - 1) == CANARY).isTrue();
        assertThat(get(third, at, length)).isEqualTo(second);
        assertThat(get(source, at, length)).isEqualTo(first);
    }

    private static byte[] put(Window window, ElementType type, int at, int length, Random chance) {
        final byte[] elements = new byte[length];
        Reference.fill(elements, type, chance);
        window.buffer().setMemory(0, at, CANARY);
        window.buffer().setMemory(at + length, Math.min(64, WINDOW - at - length), CANARY);
        window.buffer().putBytes(at, elements);
        return elements;
    }

    private static byte[] get(Window window, int at, int length) {
        final byte[] found = new byte[length];
        window.buffer().getBytes(at, found);
        return found;
    }

    @ParameterizedTest
    @EnumSource(ElementType.class)
    void shouldCombineALongRangeByTheQuantumInWholeElements(ElementType type) {
        final Operator operator = type.isPair() ? Operator.MINIMUM_PAIR : Operator.SUM;
        final int quantum = 1001;
        final int part = quantum / type.length() * type.length();
        final int length = 3 * part + type.length();
        final InjectionFifo fifo = context.injectionFifo();
        fifo.quantum(quantum, 100);
        engines.settle();
        final Random chance = new Random(7);
        final byte[] right = put(source, type, 0, length, chance);
        final byte[] left = put(target, type, 0, length, chance);
        final byte[] expected = Reference.combine(type, operator, left, right);
        done.expect(length);
        fifo.combine(source, 0, target, 0, length, Combine.of(type, operator).completes(done));
        for (int passes = 1; passes <= 3; passes++) {
            assertThat(engines.pass(0)).as("a part is work").isPositive();
            assertThat(done.valueAcquire()).isEqualTo(length - (long) passes * part);
            final int combined = passes * part;
            assertThat(Reference.areEqual(type, Arrays.copyOf(expected, combined), get(target, 0, combined)))
                    .isTrue();
            assertThat(get(target, combined, length - combined)).isEqualTo(Arrays.copyOfRange(left, combined, length));
        }
        engines.pass(0);
        assertThat(done.valueAcquire()).isZero();
        assertThat(Reference.areEqual(type, expected, get(target, 0, length))).isTrue();
    }

    @Test
    void shouldCombineOneElementInAQuantumThatIsShorter() {
        final InjectionFifo fifo = context.injectionFifo();
        fifo.quantum(1, 100);
        engines.settle();
        done.expect(48);
        fifo.combine(
                source,
                0,
                target,
                0,
                48,
                Combine.of(ElementType.DOUBLE_PAIR, Operator.MAXIMUM_PAIR).completes(done));
        for (int left = 32; left >= 0; left -= 16) {
            engines.pass(0);
            assertThat(done.valueAcquire()).isEqualTo(left);
        }
    }

    @Test
    void shouldRefuseOneThatIsChangedAfterItWasBegun() {
        final InjectionFifo fifo = context.injectionFifo();
        fifo.quantum(100, 100);
        engines.settle();
        final Memory slots = engines.memory(0).owner();
        for (final boolean isShorter : new boolean[] {true, false}) {
            fifo.combine(source, 0, target, 0, 1000, Combine.of(ElementType.SHORT, Operator.SUM));
            engines.pass(0);
            final long slot = slotOfCombine();
            if (isShorter) {
                slots.putLong(slot + Descriptor.LENGTH_OFFSET, 98);
            } else {
                slots.putByte(slot + Descriptor.DETAIL_OFFSET, (byte) ElementType.LONG.code());
            }
            engines.settle();
            slots.putByte(slot, (byte) 0);
            assertThat(fifo.fill()).isZero();
        }
        assertThat(engines.metrics(0).get(Refusal.BAD_LENGTH)).isEqualTo(2);
    }

    private long slotOfCombine() {
        long slot = engines.memory(0).layout().offset(Part.FIFO_SLOTS);
        while (engines.memory(0).owner().getByte(slot) != Operation.COMBINE) {
            slot += Descriptor.LENGTH;
        }
        return slot;
    }

    @Test
    void shouldKeepOrderWithOtherDescriptorsOfTheFifo() {
        final Combine sum = Combine.of(ElementType.LONG, Operator.SUM);
        for (int i = 0; i < 100; i++) {
            source.buffer().putLong(i * 8, 1);
        }
        for (int i = 0; i < 4; i++) {
            assertThat(context.combine(source, 0, target, 0, 800, sum)).isNotNegative();
            assertThat(context.copy(target, 0, third, i * 800L, 800)).isNotNegative();
        }
        engines.settle();
        for (int i = 0; i < 4; i++) {
            assertThat(third.buffer().getLong(i * 800 + 792)).isEqualTo(i + 1);
        }
    }

    @Test
    void shouldSelectThePairWithTheSmallerIndexAmongEqualValues() {
        final byte[] bytes = new byte[32];
        final ByteBuffer pairs = Reference.of(bytes);
        pairs.putDouble(0, -0.0).putInt(8, 5).putDouble(16, Double.NaN).putInt(24, 5);
        source.buffer().putBytes(0, bytes);
        pairs.putDouble(0, 0.0).putInt(8, 4).putDouble(16, Double.NaN).putInt(24, 4);
        for (final Operator operator : List.of(Operator.MINIMUM_PAIR, Operator.MAXIMUM_PAIR)) {
            target.buffer().putBytes(0, bytes);
            context.combine(source, 0, target, 0, 32, Combine.of(ElementType.DOUBLE_PAIR, operator));
            engines.settle();
            assertThat(target.buffer().getInt(8))
                    .as("-0.0 is less than 0.0")
                    .isEqualTo(operator == Operator.MINIMUM_PAIR ? 5 : 4);
            assertThat(target.buffer().getInt(24)).as("both are NaN").isEqualTo(4);
        }
    }

    @Test
    void shouldCheckItsArguments() {
        final Combine sum = Combine.of(ElementType.INT, Operator.SUM);
        assertThatThrownBy(() -> Combine.of(ElementType.DOUBLE, Operator.BITWISE_AND))
                .hasMessageContaining("type=DOUBLE operator=BITWISE_AND");
        assertThatThrownBy(() -> Combine.of(ElementType.INT, Operator.MINIMUM_PAIR))
                .hasMessageContaining("type=INT operator=MINIMUM_PAIR");
        assertThatThrownBy(() -> Combine.of(ElementType.INT_PAIR, Operator.SUM)).hasMessageContaining("INT_PAIR");
        assertThatThrownBy(() -> Combine.of(ElementType.INT, 128)).hasMessageContaining("0 to 127: number=128");
        assertThatThrownBy(() -> context.combine(source, 0, target, 0, 8, Combine.of(ElementType.INT, 5)))
                .isInstanceOf(IllegalStateException.class)
                .hasMessageContaining("number=5");
        assertThatThrownBy(() -> context.combine(source, 0, target, 0, 6, sum))
                .hasMessageContaining("multiple of the 4 bytes of an element of type INT: length=6");
        assertThatThrownBy(() -> context.combine(source, WINDOW - 4, target, 0, 8, sum))
                .hasMessageContaining("source range");
        assertThatThrownBy(() -> context.combine(source, 0, target, -4, 8, sum)).hasMessageContaining("target range");
        assertThatThrownBy(() -> context.combine(target, 4, target, 0, 8, sum))
                .hasMessageContaining("two ranges of 8 bytes at 4 and 0");
        final Combine three = Combine.of(ElementType.INT, Operator.SUM).with(third, WINDOW - 4);
        assertThatThrownBy(() -> context.combine(source, 0, target, 0, 8, three))
                .hasMessageContaining("third range");
        three.with(target, 12);
        assertThatThrownBy(() -> context.combine(source, 0, target, 8, 8, three))
                .hasMessageContaining("at 12 and 8");
        assertThatThrownBy(three::reversed).hasMessageContaining("exchange the source and the third operand");
        assertThatThrownBy(() ->
                        Combine.of(ElementType.INT, Operator.SUM).reversed().with(third, 0))
                .hasMessageContaining("exchange the source and the third operand");
        assertThat(context.fifo().fill()).as("nothing was injected").isZero();
    }
}
