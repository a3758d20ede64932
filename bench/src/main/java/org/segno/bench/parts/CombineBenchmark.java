package org.segno.bench.parts;

import org.agrona.UnsafeApi;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.OperationsPerInvocation;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.State;
import org.segno.combine.ElementType;
import org.segno.combine.Operator;
import org.segno.engine.combine.Arithmetic;
import org.segno.engine.memory.MappedMemory;

/**
 * Benchmarks of the loops of COMBINE, {@code target = target operator source}, for {@value #SHORT} bytes and for 1 MiB:
 * sums beside a plain loop over memory outside the heap and one over arrays. A figure is the time for 1 KiB.
 * {@link CombineOperatorsBenchmark} has the other types and operators.
 */
@State(Scope.Thread)
public class CombineBenchmark {
    private static final int SHORT_KIB = 4;
    private static final int LONG_KIB = 1024;
    private static final int SHORT = SHORT_KIB << 10;
    private static final int LONG = LONG_KIB << 10;

    private final MappedMemory memory = MappedMemory.ofProcess(2 * LONG);
    private final Arithmetic arithmetic = new Arithmetic(memory);
    private final long target = memory.address(0, LONG);
    private final long source = memory.address(LONG, LONG);
    private final double[] doubles = new double[LONG / Double.BYTES];
    private final double[] otherDoubles = new double[LONG / Double.BYTES];
    private final long[] longs = new long[LONG / Long.BYTES];
    private final long[] otherLongs = new long[LONG / Long.BYTES];
    private final int[] ints = new int[LONG / Integer.BYTES];
    private final int[] otherInts = new int[LONG / Integer.BYTES];

    private Arithmetic combine(ElementType type, Operator operator, int bytes) {
        arithmetic.combine(type, operator, bytes, 0, 0, LONG);
        return arithmetic;
    }

    /** Measures the sum of 4 KiB of {@code double}. */
    @Benchmark
    @OperationsPerInvocation(SHORT_KIB)
    public Arithmetic doubleSumShort() {
        return combine(ElementType.DOUBLE, Operator.SUM, SHORT);
    }

    /** Measures a plain loop over the same 4 KiB. */
    @Benchmark
    @OperationsPerInvocation(SHORT_KIB)
    public long doubleSumShortPlain() {
        return plainDoubles(SHORT);
    }

    /** Measures a loop over arrays of 4 KiB. */
    @Benchmark
    @OperationsPerInvocation(SHORT_KIB)
    public double[] doubleSumShortArrays() {
        return arrays(doubles, otherDoubles, SHORT / Double.BYTES);
    }

    /** Measures the sum of 1 MiB of {@code double}. */
    @Benchmark
    @OperationsPerInvocation(LONG_KIB)
    public Arithmetic doubleSumLong() {
        return combine(ElementType.DOUBLE, Operator.SUM, LONG);
    }

    /** Measures a plain loop over the same 1 MiB. */
    @Benchmark
    @OperationsPerInvocation(LONG_KIB)
    public long doubleSumLongPlain() {
        return plainDoubles(LONG);
    }

    /** Measures a loop over arrays of 1 MiB. */
    @Benchmark
    @OperationsPerInvocation(LONG_KIB)
    public double[] doubleSumLongArrays() {
        return arrays(doubles, otherDoubles, LONG / Double.BYTES);
    }

    /** Measures the sum of 4 KiB of {@code long}. */
    @Benchmark
    @OperationsPerInvocation(SHORT_KIB)
    public Arithmetic longSumShort() {
        return combine(ElementType.LONG, Operator.SUM, SHORT);
    }

    /** Measures a plain loop over the same 4 KiB. */
    @Benchmark
    @OperationsPerInvocation(SHORT_KIB)
    public long longSumShortPlain() {
        return plainLongs(SHORT);
    }

    /** Measures a loop over arrays of 4 KiB. */
    @Benchmark
    @OperationsPerInvocation(SHORT_KIB)
    public long[] longSumShortArrays() {
        return arrays(longs, otherLongs, SHORT / Long.BYTES);
    }

    /** Measures the sum of 1 MiB of {@code long}. */
    @Benchmark
    @OperationsPerInvocation(LONG_KIB)
    public Arithmetic longSumLong() {
        return combine(ElementType.LONG, Operator.SUM, LONG);
    }

    /** Measures a plain loop over the same 1 MiB. */
    @Benchmark
    @OperationsPerInvocation(LONG_KIB)
    public long longSumLongPlain() {
        return plainLongs(LONG);
    }

    /** Measures a loop over arrays of 1 MiB. */
    @Benchmark
    @OperationsPerInvocation(LONG_KIB)
    public long[] longSumLongArrays() {
        return arrays(longs, otherLongs, LONG / Long.BYTES);
    }

    /** Measures the sum of 4 KiB of {@code int}. */
    @Benchmark
    @OperationsPerInvocation(SHORT_KIB)
    public Arithmetic intSumShort() {
        return combine(ElementType.INT, Operator.SUM, SHORT);
    }

    /** Measures a plain loop over the same 4 KiB. */
    @Benchmark
    @OperationsPerInvocation(SHORT_KIB)
    public long intSumShortPlain() {
        return plainInts(SHORT);
    }

    /** Measures a loop over arrays of 4 KiB. */
    @Benchmark
    @OperationsPerInvocation(SHORT_KIB)
    public int[] intSumShortArrays() {
        return arrays(ints, otherInts, SHORT / Integer.BYTES);
    }

    /** Measures the sum of 1 MiB of {@code int}. */
    @Benchmark
    @OperationsPerInvocation(LONG_KIB)
    public Arithmetic intSumLong() {
        return combine(ElementType.INT, Operator.SUM, LONG);
    }

    /** Measures a plain loop over the same 1 MiB. */
    @Benchmark
    @OperationsPerInvocation(LONG_KIB)
    public long intSumLongPlain() {
        return plainInts(LONG);
    }

    /** Measures a loop over arrays of 1 MiB. */
    @Benchmark
    @OperationsPerInvocation(LONG_KIB)
    public int[] intSumLongArrays() {
        return arrays(ints, otherInts, LONG / Integer.BYTES);
    }

    private long plainDoubles(int bytes) {
        for (long at = 0; at < bytes; at += Double.BYTES) {
            UnsafeApi.putDouble(target + at, UnsafeApi.getDouble(target + at) + UnsafeApi.getDouble(source + at));
        }
        return target;
    }

    private static double[] arrays(double[] sums, double[] others, int count) {
        for (int i = 0; i < count; i++) {
            sums[i] += others[i];
        }
        return sums;
    }

    private long plainLongs(int bytes) {
        for (long at = 0; at < bytes; at += Long.BYTES) {
            UnsafeApi.putLong(target + at, UnsafeApi.getLong(target + at) + UnsafeApi.getLong(source + at));
        }
        return target;
    }

    private static long[] arrays(long[] sums, long[] others, int count) {
        for (int i = 0; i < count; i++) {
            sums[i] += others[i];
        }
        return sums;
    }

    private long plainInts(int bytes) {
        for (long at = 0; at < bytes; at += Integer.BYTES) {
            UnsafeApi.putInt(target + at, UnsafeApi.getInt(target + at) + UnsafeApi.getInt(source + at));
        }
        return target;
    }

    private static int[] arrays(int[] sums, int[] others, int count) {
        for (int i = 0; i < count; i++) {
            sums[i] += others[i];
        }
        return sums;
    }
}
