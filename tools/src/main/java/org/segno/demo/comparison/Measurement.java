package org.segno.demo.comparison;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.segno.context.Context;
import org.segno.demo.halo.AllReduce;
import org.segno.demo.halo.RetryingCalls;
import org.segno.demo.solver.SharedTime;
import org.segno.demo.solver.Sums;
import org.segno.node.Node;

/**
 * Measurement of the exchanges of a demo in the three modes.
 *
 * <p>The modes alternate, so that all of them run on the machine in the same state: a few iterations of one, then of
 * the next, and each turn begins with another mode. Every rank does this; rank 0 gets the report of all.
 */
final class Measurement {

    /** Figures in addition to the times: messages and bytes of an exchange. */
    private static final int COUNTS = 2;

    /**
     * Iterations of one mode in a row: enough to behave like a program with only this mode, and short compared with the
     * disturbances of a machine.
     */
    static final int IN_A_ROW = 8;

    /**
     * Factor of iterations for warming up. If ranks spin on all cores, the JIT gets a core late, and code must be
     * compiled before it is measured.
     */
    private static final int WARM_UP = 5;

    /** Number of iterations that suffices to warm up any exchange. */
    private static final int ENOUGH = 10_000;

    /** Time limits of warming up and of measuring an exchange on a loaded machine. */
    private static final long WARM_UP_LIMIT_NS = 1_500_000_000L;

    private static final long TIME_LIMIT_NS = 15_000_000_000L;

    private final Node node;
    private final int iterations;
    private final Verification verification = new Verification();

    /**
     * Creates a measurement of {@code iterations} of each mode. {@value #WARM_UP} times as many warm up, up to a limit.
     */
    Measurement(Node node, int iterations) {
        this.node = node;
        this.iterations = iterations;
    }

    /** Returns the bytes of windows that this needs on a rank. */
    static long windowBytes(int size, int phases, int iterations) {
        return AllReduce.windowBytes(size)
                + ResultGather.windowBytes(COUNTS * phases + PhaseTimes.length(phases, rounded(iterations)));
    }

    /** Measures all exchanges. On rank 0 the report covers all ranks. */
    ComparisonReport run(String program, String title, int virtualRanks, List<MeasuredExchange> exchanges) {
        final Context context = node.client().context();
        final Sums sums = AllReduce.open(node, context);
        final SendLatency sendLatency = new SendLatency(context);
        final List<PhaseTimes> times = new ArrayList<>();
        for (final MeasuredExchange exchange : exchanges) {
            turns(exchange, sums, Math.max(iterations, Math.min(WARM_UP * iterations, ENOUGH)), WARM_UP_LIMIT_NS);
            times.add(turns(exchange, sums, iterations, TIME_LIMIT_NS));
        }
        final double sendNs = sendLatency.measure(sums);
        context.barrier(RetryingCalls.deadlineNs());
        final long[] messages =
                exchanges.stream().mapToLong(MeasuredExchange::messages).toArray();
        final long[] bytes =
                exchanges.stream().mapToLong(MeasuredExchange::bytes).toArray();
        final Verification all = new Verification();
        all.add(node.rank(), verification);
        new ResultGather(node).gather(verification, figures(messages, bytes, times), (rank, found, figures) -> {
            all.add(rank, found);
            slowest(figures, messages, bytes, times);
        });
        final List<ExchangeCosts> costs = new ArrayList<>();
        for (int i = 0; i < messages.length; i++) {
            costs.add(new ExchangeCosts(exchanges.get(i).title(), messages[i], bytes[i], sendNs, times.get(i)));
        }
        return new ComparisonReport(program, title, node.size(), virtualRanks, all, sendNs, costs);
    }

    private PhaseTimes turns(MeasuredExchange exchange, Sums sums, int count, long limitNs) {
        final SendMode[] modes = SendMode.values();
        final PhaseTimes times = new PhaseTimes(exchange.phases(), rounded(count));
        final SharedTime time = SharedTime.begin(sums, limitNs);
        int turn = 0;
        do {
            for (int i = 0; i < modes.length; i++) {
                final SendMode mode = modes[(turn + i) % modes.length];
                for (int again = 0; again < IN_A_ROW; again++) {
                    times.begin(mode);
                    exchange.iterate(mode, times, verification);
                }
            }
            turn++;
        } while (turn * IN_A_ROW < count && time.lasts());
        return times;
    }

    private static int rounded(int iterations) {
        return (iterations + IN_A_ROW - 1) / IN_A_ROW * IN_A_ROW;
    }

    private static long[] figures(long[] messages, long[] bytes, List<PhaseTimes> times) {
        final long[][] parts = new long[messages.length][];
        for (int i = 0; i < parts.length; i++) {
            final long[] ns = times.get(i).ns();
            parts[i] = Arrays.copyOf(ns, ns.length + COUNTS);
            parts[i][ns.length] = messages[i];
            parts[i][ns.length + 1] = bytes[i];
        }
        return Arrays.stream(parts).flatMapToLong(Arrays::stream).toArray();
    }

    private static void slowest(long[] figures, long[] messages, long[] bytes, List<PhaseTimes> times) {
        int at = 0;
        for (int i = 0; i < messages.length; i++) {
            final int length = times.get(i).ns().length;
            times.get(i).slowest(Arrays.copyOfRange(figures, at, at + length));
            messages[i] = Math.max(messages[i], figures[at + length]);
            bytes[i] = Math.max(bytes[i], figures[at + length + 1]);
            at += length + COUNTS;
        }
    }
}
