package org.segno.bench.mpi;

import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Compiler and launcher of an MPI on this machine.
 *
 * @param compiler {@code mpicc}
 * @param launcher {@code mpirun}
 */
record MpiTools(Path compiler, Path launcher) {
    private static final long LIMIT_S = 60;

    private static final Pattern HYDRA = Pattern.compile("HYDRA build details:\\s+Version:\\s+(\\S+)");

    /** Ends of the tools' names on systems with several MPIs; the first one is that which the system prefers. */
    private static final List<String> SUFFIXES = List.of("", ".openmpi", ".mpich");

    /** Returns the tools in the directories of a path, or nothing if one of them is missing. */
    static Optional<MpiTools> find(String path) {
        return find(path, "mpicc", "mpirun");
    }

    private static Optional<MpiTools> find(String path, String compiler, String launcher) {
        return find(path, compiler).flatMap(found -> find(path, launcher).map(other -> new MpiTools(found, other)));
    }

    /** Returns the tools of all MPIs in the directories of a path, the preferred one first. */
    static List<MpiTools> all(String path) {
        final Map<Path, MpiTools> byLauncher = new LinkedHashMap<>();
        for (final String suffix : SUFFIXES) {
            find(path, "mpicc" + suffix, "mpirun" + suffix)
                    .ifPresent(tools -> byLauncher.putIfAbsent(real(tools.launcher), tools));
        }
        return List.copyOf(byLauncher.values());
    }

    /** Returns the file to which links lead: an MPI has several names. */
    private static Path real(Path file) {
        try {
            return file.toRealPath();
        } catch (IOException e) {
            return file;
        }
    }

    private static Optional<Path> find(String path, String name) {
        for (final String directory : path.split(":", -1)) {
            final Path file = Path.of(directory, name);
            if (!directory.isEmpty() && Files.isExecutable(file)) {
                return Optional.of(file);
            }
        }
        return Optional.empty();
    }

    /** Returns the first line of the compiler's error for an empty program, or nothing if it builds one. */
    Optional<String> defect() {
        try {
            final Path directory = Files.createTempDirectory("segno-bench-mpi-");
            try {
                final Path source = Files.writeString(directory.resolve("empty.c"), "int main(void) { return 0; }\n");
                output(List.of(
                        compiler.toString(), "-o", directory.resolve("empty").toString(), source.toString()));
                return Optional.empty();
            } finally {
                Files.deleteIfExists(directory.resolve("empty"));
                Files.deleteIfExists(directory.resolve("empty.c"));
                Files.deleteIfExists(directory);
            }
        } catch (IOException e) {
            return Optional.of(
                    String.valueOf(e.getMessage()).lines().findFirst().orElse("it failed"));
        }
    }

    /** Returns the name of the tool that a path lacks, or both. */
    static String missing(String path) {
        final String missing = find(path, "mpicc").isPresent() ? "mpirun" : "mpicc";
        return find(path, "mpicc").isEmpty() && find(path, "mpirun").isEmpty() ? "mpicc and mpirun" : missing;
    }

    /** Returns the first line that the launcher prints about its version. That of MPICH prints a name of its own. */
    String version() {
        try {
            final String text = output(List.of(launcher.toString(), "--version"));
            final Matcher hydra = HYDRA.matcher(text);
            if (hydra.lookingAt()) {
                return "MPICH " + hydra.group(1);
            }
            return text.lines().filter(line -> !line.isBlank()).findFirst().orElse("unknown version");
        } catch (IOException e) {
            return "unknown version";
        }
    }

    /** Returns true if the launcher is that of Open MPI. */
    boolean isOpenMpi() {
        return version().contains("Open MPI");
    }

    /** Returns the file name of a program. */
    static String executable(String name) {
        return "mpi-" + name;
    }

    /** Returns the file name of a program's source. */
    static String source(String name) {
        return name + ".c";
    }

    /**
     * Returns a program of this package, built in {@code directory} unless it is there already. If programs cannot be
     * executed from there, it is copied to the directory for temporary files.
     */
    Path program(Path directory, String name) throws IOException {
        final Path program = directory.resolve(executable(name));
        if (!Files.exists(program)) {
            final Path source = directory.resolve(source(name));
            try (InputStream resource = MpiTools.class.getResourceAsStream(source(name))) {
                if (resource == null) {
                    throw new IOException("the resource " + source(name) + " is missing");
                }
                Files.copy(resource, source);
            }
            output(List.of(compiler.toString(), "-O3", "-o", program.toString(), source.toString()));
        }
        if (Files.isExecutable(program)) {
            return program;
        }
        final Path copy = Files.createTempFile("segno-bench-mpi-", "");
        copy.toFile().deleteOnExit();
        Files.write(copy, Files.readAllBytes(program));
        if (!copy.toFile().setExecutable(true)) {
            throw new IOException("cannot make " + copy + " executable");
        }
        return copy;
    }

    private static String output(List<String> command) throws IOException {
        final Process process =
                new ProcessBuilder(command).redirectErrorStream(true).start();
        process.getOutputStream().close();
        final String text = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        try {
            if (!process.waitFor(LIMIT_S, TimeUnit.SECONDS) || process.exitValue() != 0) {
                process.destroyForcibly();
                throw new IOException(String.join(" ", command) + " failed: " + text.strip());
            }
        } catch (InterruptedException e) {
            process.destroyForcibly();
            Thread.currentThread().interrupt();
        }
        return text;
    }
}
