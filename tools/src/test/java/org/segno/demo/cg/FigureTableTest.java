package org.segno.demo.cg;

import static org.junit.jupiter.api.Assertions.assertEquals;

import org.junit.jupiter.api.Test;
import org.segno.demo.solver.Sums;

class FigureTableTest {
    @Test
    void shouldSumEveryFigureOverAllRanks() {
        final FigureTable figures = new FigureTable();
        for (final Figure figure : Figure.values()) {
            figures.set(figure, figure.name().length());
        }
        final Sums threeRanksWithEqualFigures = values -> {
            for (int i = 0; i < Sums.VALUE_COUNT; i++) {
                values[i] *= 3;
            }
        };

        figures.addUp(threeRanksWithEqualFigures, 3);

        for (final Figure figure : Figure.values()) {
            assertEquals(3L * figure.name().length(), figures.sum(figure));
            assertEquals(figure.name().length(), figures.mean(figure));
        }
    }
}
