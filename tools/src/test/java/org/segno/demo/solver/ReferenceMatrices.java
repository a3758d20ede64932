package org.segno.demo.solver;

import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.nio.file.Files;
import java.nio.file.Path;

/** The matrices whose iterations an independent program has counted; they lie beside the project and not in it. */
public final class ReferenceMatrices {
    private ReferenceMatrices() {}

    /** Path of a matrix; the calling test is skipped where the folder is not there. */
    public static Path find(String name) {
        Path directory = Path.of("").toAbsolutePath();
        // Tests run in their module; the root of the project is where the reactor's own file is.
        while (directory.getParent() != null && Files.exists(directory.resolve("../pom.xml"))) {
            directory = directory.getParent();
        }
        final Path file = directory.resolveSibling("shared").resolve("data").resolve(name);
        assumeTrue(Files.exists(file), () -> "reference matrix ../shared/data/" + name + " is not there");
        return file;
    }
}
