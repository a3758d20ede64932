package org.segno.bench.parts;

import java.util.Random;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.OperationsPerInvocation;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.State;
import org.segno.combine.ElementType;
import org.segno.combine.Operator;
import org.segno.engine.combine.Arithmetic;
import org.segno.engine.memory.MappedMemory;

/**
 * Benchmarks of each operator of COMBINE on each type that has it: {@code target = source operator third} for
 * {@value #BYTES} bytes of random numbers. A figure is the time for 1 KiB.
 */
@State(Scope.Thread)
public class CombineOperatorsBenchmark {
    private static final int KIB = 4;
    private static final int BYTES = KIB << 10;

    private final MappedMemory memory = MappedMemory.ofProcess(3 * BYTES);
    private final Arithmetic arithmetic = new Arithmetic(memory);

    /** Writes floats from 1 to 2. Read as another type, their bits are ordinary numbers as well, no NaN and no zero. */
    public CombineOperatorsBenchmark() {
        final Random chance = new Random(1);
        for (int at = BYTES; at < 3 * BYTES; at += Float.BYTES) {
            memory.putInt(at, Float.floatToRawIntBits(1 + chance.nextFloat()));
        }
    }

    private Arithmetic combine(ElementType type, Operator operator) {
        arithmetic.combine(type, operator, BYTES, 0, BYTES, 2 * BYTES);
        return arithmetic;
    }

    /** Measures {@link Operator#SUM} of {@code byte}. */
    @Benchmark
    @OperationsPerInvocation(KIB)
    public Arithmetic byteSum() {
        return combine(ElementType.BYTE, Operator.SUM);
    }

    /** Measures {@link Operator#PRODUCT} of {@code byte}. */
    @Benchmark
    @OperationsPerInvocation(KIB)
    public Arithmetic byteProduct() {
        return combine(ElementType.BYTE, Operator.PRODUCT);
    }

    /** Measures {@link Operator#MINIMUM} of {@code byte}. */
    @Benchmark
    @OperationsPerInvocation(KIB)
    public Arithmetic byteMinimum() {
        return combine(ElementType.BYTE, Operator.MINIMUM);
    }

    /** Measures {@link Operator#MAXIMUM} of {@code byte}. */
    @Benchmark
    @OperationsPerInvocation(KIB)
    public Arithmetic byteMaximum() {
        return combine(ElementType.BYTE, Operator.MAXIMUM);
    }

    /** Measures {@link Operator#LOGICAL_AND} of {@code byte}. */
    @Benchmark
    @OperationsPerInvocation(KIB)
    public Arithmetic byteLogicalAnd() {
        return combine(ElementType.BYTE, Operator.LOGICAL_AND);
    }

    /** Measures {@link Operator#LOGICAL_OR} of {@code byte}. */
    @Benchmark
    @OperationsPerInvocation(KIB)
    public Arithmetic byteLogicalOr() {
        return combine(ElementType.BYTE, Operator.LOGICAL_OR);
    }

    /** Measures {@link Operator#LOGICAL_XOR} of {@code byte}. */
    @Benchmark
    @OperationsPerInvocation(KIB)
    public Arithmetic byteLogicalXor() {
        return combine(ElementType.BYTE, Operator.LOGICAL_XOR);
    }

    /** Measures {@link Operator#BITWISE_AND} of {@code byte}. */
    @Benchmark
    @OperationsPerInvocation(KIB)
    public Arithmetic byteBitwiseAnd() {
        return combine(ElementType.BYTE, Operator.BITWISE_AND);
    }

    /** Measures {@link Operator#BITWISE_OR} of {@code byte}. */
    @Benchmark
    @OperationsPerInvocation(KIB)
    public Arithmetic byteBitwiseOr() {
        return combine(ElementType.BYTE, Operator.BITWISE_OR);
    }

    /** Measures {@link Operator#BITWISE_XOR} of {@code byte}. */
    @Benchmark
    @OperationsPerInvocation(KIB)
    public Arithmetic byteBitwiseXor() {
        return combine(ElementType.BYTE, Operator.BITWISE_XOR);
    }

    /** Measures {@link Operator#SUM} of {@code short}. */
    @Benchmark
    @OperationsPerInvocation(KIB)
    public Arithmetic shortSum() {
        return combine(ElementType.SHORT, Operator.SUM);
    }

    /** Measures {@link Operator#PRODUCT} of {@code short}. */
    @Benchmark
    @OperationsPerInvocation(KIB)
    public Arithmetic shortProduct() {
        return combine(ElementType.SHORT, Operator.PRODUCT);
    }

    /** Measures {@link Operator#MINIMUM} of {@code short}. */
    @Benchmark
    @OperationsPerInvocation(KIB)
    public Arithmetic shortMinimum() {
        return combine(ElementType.SHORT, Operator.MINIMUM);
    }

    /** Measures {@link Operator#MAXIMUM} of {@code short}. */
    @Benchmark
    @OperationsPerInvocation(KIB)
    public Arithmetic shortMaximum() {
        return combine(ElementType.SHORT, Operator.MAXIMUM);
    }

    /** Measures {@link Operator#LOGICAL_AND} of {@code short}. */
    @Benchmark
    @OperationsPerInvocation(KIB)
    public Arithmetic shortLogicalAnd() {
        return combine(ElementType.SHORT, Operator.LOGICAL_AND);
    }

    /** Measures {@link Operator#LOGICAL_OR} of {@code short}. */
    @Benchmark
    @OperationsPerInvocation(KIB)
    public Arithmetic shortLogicalOr() {
        return combine(ElementType.SHORT, Operator.LOGICAL_OR);
    }

    /** Measures {@link Operator#LOGICAL_XOR} of {@code short}. */
    @Benchmark
    @OperationsPerInvocation(KIB)
    public Arithmetic shortLogicalXor() {
        return combine(ElementType.SHORT, Operator.LOGICAL_XOR);
    }

    /** Measures {@link Operator#BITWISE_AND} of {@code short}. */
    @Benchmark
    @OperationsPerInvocation(KIB)
    public Arithmetic shortBitwiseAnd() {
        return combine(ElementType.SHORT, Operator.BITWISE_AND);
    }

    /** Measures {@link Operator#BITWISE_OR} of {@code short}. */
    @Benchmark
    @OperationsPerInvocation(KIB)
    public Arithmetic shortBitwiseOr() {
        return combine(ElementType.SHORT, Operator.BITWISE_OR);
    }

    /** Measures {@link Operator#BITWISE_XOR} of {@code short}. */
    @Benchmark
    @OperationsPerInvocation(KIB)
    public Arithmetic shortBitwiseXor() {
        return combine(ElementType.SHORT, Operator.BITWISE_XOR);
    }

    /** Measures {@link Operator#SUM} of {@code int}. */
    @Benchmark
    @OperationsPerInvocation(KIB)
    public Arithmetic intSum() {
        return combine(ElementType.INT, Operator.SUM);
    }

    /** Measures {@link Operator#PRODUCT} of {@code int}. */
    @Benchmark
    @OperationsPerInvocation(KIB)
    public Arithmetic intProduct() {
        return combine(ElementType.INT, Operator.PRODUCT);
    }

    /** Measures {@link Operator#MINIMUM} of {@code int}. */
    @Benchmark
    @OperationsPerInvocation(KIB)
    public Arithmetic intMinimum() {
        return combine(ElementType.INT, Operator.MINIMUM);
    }

    /** Measures {@link Operator#MAXIMUM} of {@code int}. */
    @Benchmark
    @OperationsPerInvocation(KIB)
    public Arithmetic intMaximum() {
        return combine(ElementType.INT, Operator.MAXIMUM);
    }

    /** Measures {@link Operator#LOGICAL_AND} of {@code int}. */
    @Benchmark
    @OperationsPerInvocation(KIB)
    public Arithmetic intLogicalAnd() {
        return combine(ElementType.INT, Operator.LOGICAL_AND);
    }

    /** Measures {@link Operator#LOGICAL_OR} of {@code int}. */
    @Benchmark
    @OperationsPerInvocation(KIB)
    public Arithmetic intLogicalOr() {
        return combine(ElementType.INT, Operator.LOGICAL_OR);
    }

    /** Measures {@link Operator#LOGICAL_XOR} of {@code int}. */
    @Benchmark
    @OperationsPerInvocation(KIB)
    public Arithmetic intLogicalXor() {
        return combine(ElementType.INT, Operator.LOGICAL_XOR);
    }

    /** Measures {@link Operator#BITWISE_AND} of {@code int}. */
    @Benchmark
    @OperationsPerInvocation(KIB)
    public Arithmetic intBitwiseAnd() {
        return combine(ElementType.INT, Operator.BITWISE_AND);
    }

    /** Measures {@link Operator#BITWISE_OR} of {@code int}. */
    @Benchmark
    @OperationsPerInvocation(KIB)
    public Arithmetic intBitwiseOr() {
        return combine(ElementType.INT, Operator.BITWISE_OR);
    }

    /** Measures {@link Operator#BITWISE_XOR} of {@code int}. */
    @Benchmark
    @OperationsPerInvocation(KIB)
    public Arithmetic intBitwiseXor() {
        return combine(ElementType.INT, Operator.BITWISE_XOR);
    }

    /** Measures {@link Operator#SUM} of {@code long}. */
    @Benchmark
    @OperationsPerInvocation(KIB)
    public Arithmetic longSum() {
        return combine(ElementType.LONG, Operator.SUM);
    }

    /** Measures {@link Operator#PRODUCT} of {@code long}. */
    @Benchmark
    @OperationsPerInvocation(KIB)
    public Arithmetic longProduct() {
        return combine(ElementType.LONG, Operator.PRODUCT);
    }

    /** Measures {@link Operator#MINIMUM} of {@code long}. */
    @Benchmark
    @OperationsPerInvocation(KIB)
    public Arithmetic longMinimum() {
        return combine(ElementType.LONG, Operator.MINIMUM);
    }

    /** Measures {@link Operator#MAXIMUM} of {@code long}. */
    @Benchmark
    @OperationsPerInvocation(KIB)
    public Arithmetic longMaximum() {
        return combine(ElementType.LONG, Operator.MAXIMUM);
    }

    /** Measures {@link Operator#LOGICAL_AND} of {@code long}. */
    @Benchmark
    @OperationsPerInvocation(KIB)
    public Arithmetic longLogicalAnd() {
        return combine(ElementType.LONG, Operator.LOGICAL_AND);
    }

    /** Measures {@link Operator#LOGICAL_OR} of {@code long}. */
    @Benchmark
    @OperationsPerInvocation(KIB)
    public Arithmetic longLogicalOr() {
        return combine(ElementType.LONG, Operator.LOGICAL_OR);
    }

    /** Measures {@link Operator#LOGICAL_XOR} of {@code long}. */
    @Benchmark
    @OperationsPerInvocation(KIB)
    public Arithmetic longLogicalXor() {
        return combine(ElementType.LONG, Operator.LOGICAL_XOR);
    }

    /** Measures {@link Operator#BITWISE_AND} of {@code long}. */
    @Benchmark
    @OperationsPerInvocation(KIB)
    public Arithmetic longBitwiseAnd() {
        return combine(ElementType.LONG, Operator.BITWISE_AND);
    }

    /** Measures {@link Operator#BITWISE_OR} of {@code long}. */
    @Benchmark
    @OperationsPerInvocation(KIB)
    public Arithmetic longBitwiseOr() {
        return combine(ElementType.LONG, Operator.BITWISE_OR);
    }

    /** Measures {@link Operator#BITWISE_XOR} of {@code long}. */
    @Benchmark
    @OperationsPerInvocation(KIB)
    public Arithmetic longBitwiseXor() {
        return combine(ElementType.LONG, Operator.BITWISE_XOR);
    }

    /** Measures {@link Operator#SUM} of {@code float}. */
    @Benchmark
    @OperationsPerInvocation(KIB)
    public Arithmetic floatSum() {
        return combine(ElementType.FLOAT, Operator.SUM);
    }

    /** Measures {@link Operator#PRODUCT} of {@code float}. */
    @Benchmark
    @OperationsPerInvocation(KIB)
    public Arithmetic floatProduct() {
        return combine(ElementType.FLOAT, Operator.PRODUCT);
    }

    /** Measures {@link Operator#MINIMUM} of {@code float}. */
    @Benchmark
    @OperationsPerInvocation(KIB)
    public Arithmetic floatMinimum() {
        return combine(ElementType.FLOAT, Operator.MINIMUM);
    }

    /** Measures {@link Operator#MAXIMUM} of {@code float}. */
    @Benchmark
    @OperationsPerInvocation(KIB)
    public Arithmetic floatMaximum() {
        return combine(ElementType.FLOAT, Operator.MAXIMUM);
    }

    /** Measures {@link Operator#SUM} of {@code double}. */
    @Benchmark
    @OperationsPerInvocation(KIB)
    public Arithmetic doubleSum() {
        return combine(ElementType.DOUBLE, Operator.SUM);
    }

    /** Measures {@link Operator#PRODUCT} of {@code double}. */
    @Benchmark
    @OperationsPerInvocation(KIB)
    public Arithmetic doubleProduct() {
        return combine(ElementType.DOUBLE, Operator.PRODUCT);
    }

    /** Measures {@link Operator#MINIMUM} of {@code double}. */
    @Benchmark
    @OperationsPerInvocation(KIB)
    public Arithmetic doubleMinimum() {
        return combine(ElementType.DOUBLE, Operator.MINIMUM);
    }

    /** Measures {@link Operator#MAXIMUM} of {@code double}. */
    @Benchmark
    @OperationsPerInvocation(KIB)
    public Arithmetic doubleMaximum() {
        return combine(ElementType.DOUBLE, Operator.MAXIMUM);
    }

    /** Measures {@link Operator#MINIMUM_PAIR} of pairs with a {@code byte}. */
    @Benchmark
    @OperationsPerInvocation(KIB)
    public Arithmetic bytePairMinimum() {
        return combine(ElementType.BYTE_PAIR, Operator.MINIMUM_PAIR);
    }

    /** Measures {@link Operator#MAXIMUM_PAIR} of pairs with a {@code byte}. */
    @Benchmark
    @OperationsPerInvocation(KIB)
    public Arithmetic bytePairMaximum() {
        return combine(ElementType.BYTE_PAIR, Operator.MAXIMUM_PAIR);
    }

    /** Measures {@link Operator#MINIMUM_PAIR} of pairs with a {@code short}. */
    @Benchmark
    @OperationsPerInvocation(KIB)
    public Arithmetic shortPairMinimum() {
        return combine(ElementType.SHORT_PAIR, Operator.MINIMUM_PAIR);
    }

    /** Measures {@link Operator#MAXIMUM_PAIR} of pairs with a {@code short}. */
    @Benchmark
    @OperationsPerInvocation(KIB)
    public Arithmetic shortPairMaximum() {
        return combine(ElementType.SHORT_PAIR, Operator.MAXIMUM_PAIR);
    }

    /** Measures {@link Operator#MINIMUM_PAIR} of pairs with a {@code int}. */
    @Benchmark
    @OperationsPerInvocation(KIB)
    public Arithmetic intPairMinimum() {
        return combine(ElementType.INT_PAIR, Operator.MINIMUM_PAIR);
    }

    /** Measures {@link Operator#MAXIMUM_PAIR} of pairs with a {@code int}. */
    @Benchmark
    @OperationsPerInvocation(KIB)
    public Arithmetic intPairMaximum() {
        return combine(ElementType.INT_PAIR, Operator.MAXIMUM_PAIR);
    }

    /** Measures {@link Operator#MINIMUM_PAIR} of pairs with a {@code long}. */
    @Benchmark
    @OperationsPerInvocation(KIB)
    public Arithmetic longPairMinimum() {
        return combine(ElementType.LONG_PAIR, Operator.MINIMUM_PAIR);
    }

    /** Measures {@link Operator#MAXIMUM_PAIR} of pairs with a {@code long}. */
    @Benchmark
    @OperationsPerInvocation(KIB)
    public Arithmetic longPairMaximum() {
        return combine(ElementType.LONG_PAIR, Operator.MAXIMUM_PAIR);
    }

    /** Measures {@link Operator#MINIMUM_PAIR} of pairs with a {@code float}. */
    @Benchmark
    @OperationsPerInvocation(KIB)
    public Arithmetic floatPairMinimum() {
        return combine(ElementType.FLOAT_PAIR, Operator.MINIMUM_PAIR);
    }

    /** Measures {@link Operator#MAXIMUM_PAIR} of pairs with a {@code float}. */
    @Benchmark
    @OperationsPerInvocation(KIB)
    public Arithmetic floatPairMaximum() {
        return combine(ElementType.FLOAT_PAIR, Operator.MAXIMUM_PAIR);
    }

    /** Measures {@link Operator#MINIMUM_PAIR} of pairs with a {@code double}. */
    @Benchmark
    @OperationsPerInvocation(KIB)
    public Arithmetic doublePairMinimum() {
        return combine(ElementType.DOUBLE_PAIR, Operator.MINIMUM_PAIR);
    }

    /** Measures {@link Operator#MAXIMUM_PAIR} of pairs with a {@code double}. */
    @Benchmark
    @OperationsPerInvocation(KIB)
    public Arithmetic doublePairMaximum() {
        return combine(ElementType.DOUBLE_PAIR, Operator.MAXIMUM_PAIR);
    }
}
