package org.segno.bench.report;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class ResultFilesTest {
    @TempDir
    Path directory;

    @Test
    void shouldCreateTheDirectoryOfResults() throws IOException {
        final Path results = directory.resolve("a").resolve("b");
        ResultFiles.prepare(results);
        ResultFiles.prepare(results);

        assertThat(results).isDirectory();
    }

    @Test
    void shouldNameAnUnusableDirectoryAndTheRemedy() throws IOException {
        final Path results = Files.createFile(directory.resolve("file")).resolve("results");

        assertThatThrownBy(() -> ResultFiles.prepare(results))
                .isInstanceOf(IOException.class)
                .hasMessageContaining("cannot save results in " + results)
                .hasMessageContaining("--results=DIR");
    }
}
