package org.segno.demo.matrix;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.params.provider.Arguments.arguments;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Random;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

class MatrixMarketReaderTest {
    private static final String SYMMETRIC = "%%MatrixMarket matrix coordinate real symmetric\n";
    private static final String GENERAL = "%%MatrixMarket matrix coordinate real general\n";

    @TempDir
    Path directory = Path.of("");

    @Test
    void shouldStoreBothTrianglesOfSymmetricFile() throws IOException {
        final CsrMatrix matrix = read(SYMMETRIC + "% a comment\n3 3 4\n1 1 2.5\n3 1 -1e-3\n2 2 4\n3 3 +7.\n");

        assertArrayEquals(new double[][] {{2.5, 0, -1e-3}, {0, 4, 0}, {-1e-3, 0, 7}}, dense(matrix));
        assertEquals(5, matrix.nonzeroCount());
    }

    @Test
    void shouldSortEntriesOfGeneralFile() throws IOException {
        final CsrMatrix matrix = read(GENERAL + "3 3 5\n3 3 9\n1 3 3\n2 2 5\n1 1 1\n3 1 7\n");

        assertArrayEquals(new double[][] {{1, 0, 3}, {0, 5, 0}, {7, 0, 9}}, dense(matrix));
        for (int row = 0; row < 3; row++) {
            for (int entry = matrix.rowStart(row) + 1; entry < matrix.rowStart(row + 1); entry++) {
                assertThat(matrix.column(entry)).isGreaterThan(matrix.column(entry - 1));
            }
        }
    }

    @Test
    void shouldReadIntegersAndPatterns() throws IOException {
        assertArrayEquals(
                new double[][] {{-4, 7}, {7, 12}},
                dense(read("%%MatrixMarket matrix coordinate integer symmetric\n2 2 3\n1 1 -4\n2 1 7\n2 2 12\n")));
        assertArrayEquals(
                new double[][] {{1, 0}, {1, 1}},
                dense(read("%%MatrixMarket matrix coordinate pattern general\n2 2 3\n1 1\n2 1\n2 2\n")));
    }

    @Test
    void shouldAcceptOtherLineEndsCapitalsTabsBlankLinesAndLateComments() throws IOException {
        final CsrMatrix matrix = read("""
                %%MatrixMarket MATRIX Coordinate Real Symmetric

                %c
                \t2 2\t2\040
                1 1 3

                % between
                  2   2  4\t

                """.replace("\n", "\r\n"));

        assertArrayEquals(new double[][] {{3, 0}, {0, 4}}, dense(matrix));
    }

    @Test
    void shouldAcceptAFileWithoutLastLineEndAndWithBinaryComments() throws IOException {
        final Path file = directory.resolve("bytes.mtx");
        final byte[] bytes = (GENERAL + "% \u00ff\u0080\n1 1 1\n1 1 2").getBytes(StandardCharsets.ISO_8859_1);
        Files.write(file, bytes);

        assertEquals(2, MatrixMarketReader.read(file).value(0));
    }

    @Test
    void shouldAcceptTheByteOrderMarkOfUtf8() throws IOException {
        assertEquals(2, read("\ufeff" + GENERAL + "1 1 1\n1 1 2\n").value(0));
    }

    @ParameterizedTest(name = "{0}")
    @MethodSource("foreignBytes")
    void shouldPrintInvalidTextReadably(String problem, byte[] bytes, String message) throws IOException {
        final Path file = directory.resolve("bad.mtx");
        Files.write(file, bytes);

        assertThatThrownBy(() -> MatrixMarketReader.read(file))
                .isInstanceOf(MatrixFormatException.class)
                .hasMessageEndingWith(message);
    }

    static Stream<Arguments> foreignBytes() {
        return Stream.of(
                arguments("UTF-8", (GENERAL + "1 1 1\n1 1 größe\n").getBytes(StandardCharsets.UTF_8), "found 'größe'"),
                arguments(
                        "Latin-1",
                        (GENERAL + "1 1 1\n1 1 größe\n").getBytes(StandardCharsets.ISO_8859_1),
                        "found 'größe'"),
                arguments(
                        "a cut character", "ä".repeat(99).getBytes(StandardCharsets.UTF_8), "'" + "ä".repeat(32) + "'"),
                arguments("long", "x".repeat(99).getBytes(StandardCharsets.UTF_8), "found '" + "x".repeat(40) + "…'"),
                arguments(
                        "gzip",
                        new byte[] {0x1f, (byte) 0x8b, 8, 0, 0},
                        "found a file packed by gzip: unpack it first"),
                arguments(
                        "UTF-16",
                        GENERAL.getBytes(StandardCharsets.UTF_16),
                        "found a NUL byte: this is not a text file, or it is damaged"),
                arguments(
                        "NUL",
                        (GENERAL + "1 1 1\n1\0 1 2\n").getBytes(StandardCharsets.UTF_8),
                        "found a NUL byte: this is not a text file, or it is damaged"),
                arguments(
                        "control character",
                        (GENERAL + "1 1 1\n1 1 2\u001b\n").getBytes(StandardCharsets.UTF_8),
                        "found '2\\x1b'"));
    }

    @ParameterizedTest(name = "{0}")
    @MethodSource({"malformedHeads", "malformedEntries"})
    void shouldNameLineAndExpectationOfAMalformedFile(String problem, String text, int line, String message) {
        final Path file = directory.resolve("bad.mtx");
        final MatrixFormatException thrown = assertThrows(MatrixFormatException.class, () -> read(file, text));

        assertThat(thrown).hasMessageStartingWith(file + ":" + line + ": ").hasMessageContaining(message);
        assertEquals(line, thrown.line());
    }

    static Stream<Arguments> malformedHeads() {
        return Stream.of(
                arguments("empty file", "", 1, "found an empty file"),
                arguments("nothing on the first line", "\n1 1 1\n", 1, "found the end of the line"),
                arguments("no banner", "1 1 1\n1 1 1\n", 1, "expected '%%MatrixMarket matrix coordinate …', found '1'"),
                arguments("half a banner", "%%Matrix", 1, "found '%%Matrix'"),
                arguments("longer banner", "%%MatrixMarkets matrix\n", 1, "found '%%MatrixMarkets'"),
                arguments(
                        "vector",
                        "%%MatrixMarket vector coordinate real general\n",
                        1,
                        "object matrix, found 'vector'"),
                arguments("array", "%%MatrixMarket matrix array real general\n", 1, "coordinate, found 'array'"),
                arguments(
                        "complex",
                        "%%MatrixMarket matrix coordinate complex hermitian\n",
                        1,
                        "real or integer or pattern, found 'complex'"),
                arguments(
                        "hermitian",
                        "%%MatrixMarket matrix coordinate real hermitian\n",
                        1,
                        "general or symmetric, found 'hermitian'"),
                arguments(
                        "skew", "%%MatrixMarket matrix coordinate real skew-symmetric\n", 1, "found 'skew-symmetric'"),
                arguments("no symmetry", "%%MatrixMarket matrix coordinate real\n", 1, "found the end of the line"),
                arguments("long banner", "%%MatrixMarket matrix coordinate real general 7\n", 1, "found '7'"),
                arguments("no sizes", SYMMETRIC + "% c\n", 3, "rows, columns and entries, found the end of the file"),
                arguments("word as size", GENERAL + "\n3 three 3\n", 3, "number of columns between 1 and"),
                arguments("negative size", GENERAL + "-3 3 3\n", 2, "found '-3'"),
                arguments("no rows", GENERAL + "0 0 0\n", 2, "found '0'"),
                arguments("too many rows", GENERAL + "99999999999999999999 1 1\n", 2, "found '99999999999999999999'"),
                arguments("two sizes", GENERAL + "3 3\n", 2, "number of entries between"),
                arguments("four sizes", GENERAL + "3 3 3 3\n", 2, "expected the end of the line, found '3'"),
                arguments("not square", GENERAL + "3 4 5\n", 2, "expected a square matrix, found 3 x 4"),
                arguments("fewer entries than rows", GENERAL + "3 3 2\n", 2, "the matrix is singular"));
    }

    static Stream<Arguments> malformedEntries() {
        return Stream.of(
                arguments("row zero", GENERAL + "1 1 1\n0 1 1\n", 3, "a row between 1 and 1, found '0'"),
                arguments("row outside", GENERAL + "2 2 2\n1 1 1\n3 1 1\n", 4, "a row between 1 and 2, found '3'"),
                arguments("column outside", GENERAL + "2 2 2\n1 5 1\n", 3, "a column between 1 and 2, found '5'"),
                arguments("real index", GENERAL + "1 1 1\n1.0 1 1\n", 3, "found '1.0'"),
                arguments("no value", GENERAL + "1 1 1\n1 1\n", 3, "finite real value, found the end of the line"),
                arguments("value too much", GENERAL + "1 1 1\n1 1 1 1\n", 3, "end of the line, found '1'"),
                arguments("NaN", GENERAL + "1 1 1\n1 1 NaN\n", 3, "finite real value, found 'NaN'"),
                arguments("infinite", GENERAL + "1 1 1\n1 1 1e999\n", 3, "found '1e999'"),
                arguments("hexadecimal", GENERAL + "1 1 1\n1 1 0x1p3\n", 3, "found '0x1p3'"),
                arguments("suffix", GENERAL + "1 1 1\n1 1 1.0f\n", 3, "found '1.0f'"),
                arguments("two points", GENERAL + "1 1 1\n1 1 1.0.0\n", 3, "found '1.0.0'"),
                arguments(
                        "real integer",
                        "%%MatrixMarket matrix coordinate integer general\n1 1 1\n1 1 1.5\n",
                        3,
                        "an integer value, found '1.5'"),
                arguments(
                        "pattern with value",
                        "%%MatrixMarket matrix coordinate pattern general\n1 1 1\n1 1 1\n",
                        3,
                        "end of the line, found '1'"),
                arguments("upper triangle", SYMMETRIC + "2 2 2\n1 2 1\n", 3, "lower triangle"),
                arguments("too few", SYMMETRIC + "2 2 3\n1 1 1\n2 2 1\n", 5, "expected 3 entries (found 2)"),
                arguments("too many", SYMMETRIC + "2 2 2\n1 1 1\n2 2 1\n2 1 1\n", 5, "after 2 entries, found one more"),
                arguments(
                        "an entry twice",
                        SYMMETRIC + "2 2 3\n2 1 1\n1 1 1\n% c\n2 1 5\n",
                        6,
                        "each entry once, found row 2, column 1 again, first on line 3"));
    }

    @ParameterizedTest
    @ValueSource(longs = {1, 2, 3, 4, 5})
    void shouldReadAWrittenMatrix(long seed) throws IOException {
        final Random random = new Random(seed);
        final int rowCount = 1 + random.nextInt(40);
        final double[][] expected = new double[rowCount][rowCount];
        final StringBuilder entries = new StringBuilder();
        int count = 0;
        for (int row = 0; row < rowCount; row++) {
            for (int column = row; column >= 0; column--) {
                if (row == column || random.nextInt(4) == 0) {
                    final double value = random.nextGaussian() * Math.pow(10, random.nextInt(40) - 20);
                    expected[row][column] = value;
                    expected[column][row] = value;
                    entries.append(row + 1)
                            .append(' ')
                            .append(column + 1)
                            .append(' ')
                            .append(value)
                            .append('\n');
                    count++;
                }
            }
        }

        final CsrMatrix matrix = read(SYMMETRIC + rowCount + " " + rowCount + " " + count + "\n" + entries);

        assertArrayEquals(expected, dense(matrix), "seed " + seed);
    }

    @Test
    void shouldNotAllocateMemoryForMissingEntries() {
        assertThatThrownBy(() -> read(GENERAL + "1000000000 1000000000 1000000001\n1 1 1\n"))
                .isInstanceOf(MatrixFormatException.class)
                .hasMessageContaining("(found 1)");
    }

    private CsrMatrix read(String text) throws IOException {
        return read(directory.resolve("matrix.mtx"), text);
    }

    private static CsrMatrix read(Path file, String text) throws IOException {
        Files.writeString(file, text);
        return MatrixMarketReader.read(file);
    }

    private static double[][] dense(CsrMatrix matrix) {
        final double[][] values = new double[matrix.rowCount()][matrix.rowCount()];
        for (int row = 0; row < matrix.rowCount(); row++) {
            for (int entry = matrix.rowStart(row); entry < matrix.rowStart(row + 1); entry++) {
                values[row][matrix.column(entry)] = matrix.value(entry);
            }
        }
        return values;
    }
}
