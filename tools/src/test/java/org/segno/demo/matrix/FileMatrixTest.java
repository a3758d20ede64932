package org.segno.demo.matrix;

import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.api.Assertions.assertEquals;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class FileMatrixTest {
    private static final String GENERAL = "%%MatrixMarket matrix coordinate real general\n";

    @TempDir
    Path directory = Path.of("");

    @Test
    void shouldAcceptGeneralFileThatIsSymmetric() throws IOException {
        final MatrixSource matrix = read(GENERAL + "2 2 4\n1 1 2\n1 2 0.3\n2 1 0.30000000000000004\n2 2 2\n");

        assertEquals("matrix.mtx", matrix.name());
        assertEquals(4, matrix.nonzeroCount());
        assertEquals(2, matrix.rowLength(1));
    }

    @Test
    void shouldRejectUnsymmetricValuesAndUnsymmetricPattern() {
        assertThatThrownBy(() -> read(GENERAL + "2 2 4\n1 1 2\n1 2 1\n2 1 -1\n2 2 2\n"))
                .isInstanceOf(MatrixFormatException.class)
                .hasMessageEndingWith("found 1.0 at row 1, column 2 and -1.0 at row 2, column 1 on line 5")
                .hasMessageContaining("matrix.mtx:4: expected a symmetric matrix");
        assertThatThrownBy(() -> read(GENERAL + "2 2 3\n1 1 2\n2 1 0\n2 2 2\n"))
                .hasMessageEndingWith("found 0.0 at row 2, column 1 and no entry at row 1, column 2")
                .hasMessageContaining("matrix.mtx:4: ");
    }

    @Test
    void shouldRejectMissingAndZeroDiagonal() {
        assertThatThrownBy(() -> read(GENERAL + "2 2 3\n1 1 2\n1 2 1\n2 1 1\n"))
                .isInstanceOf(MatrixFormatException.class)
                .hasMessageEndingWith("found no entry at row 2, column 2");
        assertThatThrownBy(() -> read(GENERAL + "2 2 2\n1 1 0\n2 2 1\n"))
                .hasMessageEndingWith("found 0.0 at row 1, column 1")
                .hasMessageContaining("matrix.mtx:3: ");
    }

    @Test
    void shouldNameAnAbsentFile() {
        assertThatThrownBy(() -> FileMatrix.read(directory.resolve("absent.mtx")))
                .isInstanceOf(IOException.class)
                .hasMessageEndingWith("absent.mtx: no such file");
        assertThatThrownBy(() -> FileMatrix.read(directory)).hasMessageEndingWith("expected a readable file");
    }

    @Test
    void shouldRejectAFileThatOnlyOneRankCanRead() throws Exception {
        final Path pipe = directory.resolve("pipe");
        assertEquals(
                0,
                new ProcessBuilder("mkfifo", pipe.toString())
                        .inheritIO()
                        .start()
                        .waitFor());

        assertThatThrownBy(() -> FileMatrix.read(pipe)).hasMessageContaining("pipe: expected a regular file");
    }

    private MatrixSource read(String text) throws IOException {
        final Path file = directory.resolve("matrix.mtx");
        Files.writeString(file, text);
        return FileMatrix.read(file);
    }
}
