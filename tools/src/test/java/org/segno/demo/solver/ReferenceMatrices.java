package org.segno.demo.solver;

import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.nio.file.Files;
import java.nio.file.Path;

/**
 * Matrices with the number of iterations that an independent program has computed. They are files outside the project.
 */
public final class ReferenceMatrices {
    private ReferenceMatrices() {}

    /** Returns the path of a matrix. Skips the calling test if the folder is absent. */
    public static Path find(String name) {
        Path directory = Path.of("").toAbsolutePath();
        // Tests run in the directory of their module. The file of the reactor is in the root of the project.
        while (directory.getParent() != null && Files.exists(directory.resolve("../pom.xml"))) {
            directory = directory.getParent();
        }
        final Path file = directory.resolveSibling("shared").resolve("data").resolve(name);
        assumeTrue(Files.exists(file), () -> "reference matrix ../shared/data/" + name + " is absent");
        return file;
    }
}
