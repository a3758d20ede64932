package org.segno.demo.matrix;

import static org.assertj.core.api.Assertions.assertThat;

import com.code_intelligence.jazzer.junit.DictionaryEntries;
import com.code_intelligence.jazzer.junit.FuzzTest;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.io.TempDir;

/** Files of a fuzzer. Each is a consistent matrix, or is rejected by the exception that names file and line. */
@Tag("fuzz")
class MatrixMarketFuzzTest {
    @TempDir
    Path directory = Path.of("");

    @DictionaryEntries({
        "%%MatrixMarket matrix coordinate ",
        "real ",
        "integer ",
        "pattern ",
        "general",
        "symmetric",
        "% ",
        "2 2 3",
        "1 1 4.5",
        "2 1 -1e-3",
        "2147483647",
        "-1",
        "NaN"
    })
    @FuzzTest(maxDuration = "1m")
    void shouldReadAMatrixOrReportItsError(byte[] content) throws IOException {
        final Path file = Files.write(directory.resolve("fuzzed.mtx"), content);
        try {
            final CsrMatrix matrix = MatrixMarketReader.read(file);
            for (int row = 0; row < matrix.rowCount(); row++) {
                for (int entry = matrix.rowStart(row); entry < matrix.rowStart(row + 1); entry++) {
                    assertThat(matrix.column(entry)).isBetween(0, matrix.rowCount() - 1);
                    assertThat(matrix.value(entry)).isFinite();
                }
            }
            final FileMatrix usable = FileMatrix.read(file);
            assertThat(usable.nonzeroCount()).isEqualTo(matrix.nonzeroCount());
        } catch (MatrixFormatException e) {
            assertThat(e).hasMessageContaining("fuzzed.mtx");
        }
    }
}
