package org.segno.demo.fourier;

import org.segno.demo.comparison.MeasuredExchange;
import org.segno.demo.comparison.PhaseTimes;
import org.segno.demo.comparison.SendMode;
import org.segno.demo.comparison.Verification;
import org.segno.demo.manytomany.ManyToManyExchange;
import org.segno.demo.manytomany.ManyToManyExchange.Windows;
import org.segno.node.Node;

/**
 * Transform of a rank's pencils, forward and backward, with a check of both results. Used by the rank's only thread.
 */
final class PencilTransform implements MeasuredExchange {
    static final int PHASES = 4;

    private static final double TOLERANCE = 1e-12;

    private final PencilWorkload plan;
    private final LineTransform lines;
    private final ManyToManyExchange[] exchanges = new ManyToManyExchange[PHASES];
    private final double[] before;
    private final double[] expected;
    private final double expectedTolerance;
    private final double[] points;

    PencilTransform(Node node, PencilWorkload plan) {
        this.plan = plan;
        this.lines = new LineTransform(plan.grid());
        final double[] whole = OneProcess.points(plan.grid());
        before = plan.own(whole, Pencils.Axis.X);
        OneProcess.forward(whole, plan.grid());
        expected = plan.own(whole, Pencils.Axis.Z);
        points = before.clone();
        expectedTolerance = TOLERANCE * Math.sqrt(whole.length);
        final Windows windows = plan.memory().windows(node.client());
        for (int phase = 0; phase < PHASES; phase++) {
            exchanges[phase] = ManyToManyExchange.open(
                    node.client(), phase, plan.transpose(phase).pieces(), windows);
        }
    }

    @Override
    public String title() {
        return "four transposes";
    }

    @Override
    public int phases() {
        return PHASES;
    }

    @Override
    public long messages() {
        long sum = 0;
        for (final ManyToManyExchange exchange : exchanges) {
            sum += exchange.messages();
        }
        return sum;
    }

    @Override
    public long bytes() {
        long sum = 0;
        for (final ManyToManyExchange exchange : exchanges) {
            sum += exchange.bytes();
        }
        return sum;
    }

    @Override
    public void iterate(SendMode mode, PhaseTimes times, Verification verification) {
        System.arraycopy(before, 0, points, 0, points.length);
        transform(true);
        transpose(0, mode, times);
        transform(true);
        transpose(1, mode, times);
        transform(true);
        check("transformed value", expected, expectedTolerance, verification);
        transform(false);
        transpose(2, mode, times);
        transform(false);
        transpose(3, mode, times);
        transform(false);
        check("value after both transforms", before, TOLERANCE, verification);
    }

    private void transform(boolean forward) {
        for (int start = 0; start < points.length; start += 2 * plan.grid()) {
            if (forward) {
                lines.forward(points, start);
            } else {
                lines.backward(points, start);
            }
        }
    }

    private void transpose(int phase, SendMode mode, PhaseTimes times) {
        plan.transpose(phase).pack(points, exchanges[phase]);
        exchanges[phase].run(mode, times);
        plan.transpose(phase).unpack(exchanges[phase], points);
    }

    private void check(String what, double[] wanted, double tolerance, Verification verification) {
        for (int i = 0; i < points.length; i++) {
            verification.checkClose(what, i, wanted[i], points[i], tolerance);
        }
    }
}
