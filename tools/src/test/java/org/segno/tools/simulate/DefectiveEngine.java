package org.segno.tools.simulate;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import javax.tools.ToolProvider;

/** Class of the engine with a defect: bytes that land at a counter in runs of more than 200 count one too much. */
final class DefectiveEngine {
    private static final Path SOURCE = Path.of("../engine/src/main/java/org/segno/engine/landing/Landing.java");
    private static final String RIGHT = "getAndAddLong(valueAt(counter), amount)";
    private static final String WRONG = "getAndAddLong(valueAt(counter), amount < -200 ? amount - 1 : amount)";

    private DefectiveEngine() {}

    /** Compiles the class into a directory, and returns that. */
    static Path compile(Path directory) throws IOException {
        final String source = Files.readString(SOURCE);
        assertThat(source).containsOnlyOnce(RIGHT);
        final Path changed = Files.writeString(directory.resolve("Landing.java"), source.replace(RIGHT, WRONG));
        final Path classes = Files.createDirectory(directory.resolve("classes"));
        final int status = ToolProvider.getSystemJavaCompiler()
                .run(
                        null,
                        null,
                        null,
                        "-proc:none",
                        "--release",
                        "17",
                        "-cp",
                        System.getProperty("java.class.path"),
                        "-d",
                        classes.toString(),
                        changed.toString());
        assertThat(status).isZero();
        return classes;
    }
}
