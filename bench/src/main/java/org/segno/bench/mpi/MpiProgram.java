package org.segno.bench.mpi;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.segno.bench.experiment.PrintedLines;

/** A program in C that measures by itself, built for the MPI of this machine, if there is a usable one. */
public final class MpiProgram implements AutoCloseable {
    private final String name;
    private final Path directory;
    private final Optional<Built> built;

    private MpiProgram(String name, Path directory, Optional<Built> built) {
        this.name = name;
        this.directory = directory;
        this.built = built;
    }

    private record Built(MpiTools tools, Path executable) {}

    /** Builds the program {@code name} of this package in a directory of its own. */
    public static MpiProgram build(String name) throws IOException {
        return build(name, MpiExperiments.usable());
    }

    /** Builds the program for each usable MPI of this machine, the preferred one first. */
    public static List<MpiProgram> buildAll(String name) throws IOException {
        final List<MpiProgram> programs = new ArrayList<>();
        for (final MpiTools tools : MpiExperiments.allUsable()) {
            programs.add(build(name, Optional.of(tools)));
        }
        return programs;
    }

    private static MpiProgram build(String name, Optional<MpiTools> tools) throws IOException {
        final Path directory = Files.createTempDirectory("segno-bench-" + name + "-");
        try {
            if (tools.isEmpty()) {
                return new MpiProgram(name, directory, Optional.empty());
            }
            final Path executable = tools.get().program(directory, name);
            return new MpiProgram(name, directory, Optional.of(new Built(tools.get(), executable)));
        } catch (IOException e) {
            delete(directory, name);
            throw e;
        }
    }

    /** Returns name and version of its MPI; empty without a usable one. */
    public String version() {
        return built.map(program -> program.tools.version()).orElse("");
    }

    /** Returns true if its processes yield where they share cores. Those of MPICH wait for their time slices. */
    public boolean yields() {
        return built.map(program -> program.tools.isOpenMpi()).orElse(false);
    }

    /**
     * Runs the program on {@code ranks} processes, with MPI's defaults.
     *
     * @return the lines that it prints; none without a usable MPI
     */
    public List<String> run(int ranks, List<String> words) throws IOException, InterruptedException {
        if (built.isEmpty()) {
            return List.of();
        }
        final List<String> command = new ArrayList<>(List.of(
                built.get().tools.launcher().toString(),
                "-n",
                Integer.toString(ranks),
                built.get().executable.toString()));
        command.addAll(words);
        final ProcessBuilder builder = new ProcessBuilder(command).redirectErrorStream(true);
        builder.environment().put("OMPI_ALLOW_RUN_AS_ROOT", "1");
        builder.environment().put("OMPI_ALLOW_RUN_AS_ROOT_CONFIRM", "1");
        builder.environment().put("OMPI_MCA_rmaps_base_oversubscribe", "1");
        // Where a container forbids direct reads of another process, Open MPI would only complain.
        builder.environment().put("OMPI_MCA_btl_vader_single_copy_mechanism", "none");
        return PrintedLines.of(builder);
    }

    /** Deletes what was built. */
    @Override
    public void close() {
        delete(directory, name);
    }

    private static void delete(Path directory, String name) {
        for (final String file : new String[] {MpiTools.executable(name), MpiTools.source(name), ""}) {
            directory.resolve(file).toFile().delete();
        }
    }
}
