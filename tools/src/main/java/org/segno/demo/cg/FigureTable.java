package org.segno.demo.cg;

import java.util.EnumMap;
import java.util.Map;
import org.segno.demo.solver.Sums;

/** Figures of one rank or, after {@link #addUp}, of all ranks. */
final class FigureTable {
    private final Map<Figure, Double> values = new EnumMap<>(Figure.class);
    private int rankCount = 1;

    /** Sets this rank's figure. */
    FigureTable set(Figure figure, double value) {
        values.put(figure, value);
        return this;
    }

    /** Adds the other ranks' figures. Every rank calls this and gets the same sums. */
    void addUp(Sums sums, int size) {
        final double[] addends = new double[Sums.VALUE_COUNT];
        for (final Figure figure : Figure.values()) {
            addends[0] = value(figure);
            sums.sum(addends);
            values.put(figure, addends[0]);
        }
        rankCount = size;
    }

    /** Returns the sum over the ranks. */
    long sum(Figure figure) {
        return Math.round(value(figure));
    }

    /** Returns the mean over the ranks. */
    double mean(Figure figure) {
        return value(figure) / rankCount;
    }

    private double value(Figure figure) {
        return values.getOrDefault(figure, 0.0);
    }
}
