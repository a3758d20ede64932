package org.segno.demo.matrix;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class PoissonGridTest {
    @ParameterizedTest
    @ValueSource(ints = {1, 2, 3, 4, 7})
    void shouldBeSymmetricWithAscendingColumnsAndKnownRowSums(int edge) {
        final PoissonGrid grid = new PoissonGrid(edge);
        final CsrMatrix matrix = grid.rows(0, grid.rowCount());

        assertEquals(edge * edge * edge, matrix.rowCount());
        assertEquals(grid.nonzeroCount(), matrix.nonzeroCount());
        for (int row = 0; row < matrix.rowCount(); row++) {
            double sum = 0;
            for (int entry = matrix.rowStart(row); entry < matrix.rowStart(row + 1); entry++) {
                final int mirror = matrix.findMirror(row, entry);
                assertTrue(mirror >= 0);
                assertEquals(matrix.value(entry), matrix.value(mirror));
                assertTrue(entry == matrix.rowStart(row) || matrix.column(entry - 1) < matrix.column(entry));
                sum += matrix.value(entry);
            }
            assertEquals(grid.rowLength(row), matrix.rowStart(row + 1) - matrix.rowStart(row));
            assertEquals(27 - grid.rowLength(row), sum);
        }
    }

    @Test
    void shouldHaveEightEntriesAtCornersAndTwentySevenInside() {
        final PoissonGrid grid = new PoissonGrid(3);

        assertEquals(8, grid.rowLength(0));
        assertEquals(27, grid.rowLength(13));
        assertEquals(26, grid.rows(13, 14).value(13));
    }

    @Test
    void shouldGenerateTheSameRowsForAnyRange() {
        final PoissonGrid grid = new PoissonGrid(5);
        final CsrMatrix whole = grid.rows(0, grid.rowCount());
        final CsrMatrix piece = grid.rows(31, 77);
        final CsrMatrix slice = whole.slice(31, 77);

        assertEquals(slice.nonzeroCount(), piece.nonzeroCount());
        for (int entry = 0; entry < piece.nonzeroCount(); entry++) {
            assertEquals(slice.column(entry), piece.column(entry));
            assertEquals(slice.value(entry), piece.value(entry));
        }
    }

    @Test
    void shouldRejectGridsWithTooManyRows() {
        assertThatThrownBy(() -> new PoissonGrid(0)).hasMessageContaining("grid=0");
        assertThatThrownBy(() -> new PoissonGrid(1_291)).hasMessageContaining("between 1 and 1290");
        assertThat(new PoissonGrid(PoissonGrid.EDGE_LIMIT).rowCount()).isPositive();
    }
}
