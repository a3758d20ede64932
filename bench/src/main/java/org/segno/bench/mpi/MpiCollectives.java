package org.segno.bench.mpi;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.TimeUnit;

/** The program that measures collectives of an MPI on this machine. */
public final class MpiCollectives {
    private static final long LIMIT_S = 300;

    private final MpiTools tools;
    private final Path program;

    private MpiCollectives(MpiTools tools, Path program) {
        this.tools = tools;
        this.program = program;
    }

    /** Returns the program, built in {@code directory}, or nothing if there is no usable MPI on the path. */
    public static Optional<MpiCollectives> build(Path directory) throws IOException {
        final Optional<MpiTools> found = MpiTools.find(System.getenv().getOrDefault("PATH", ""))
                .filter(tools -> tools.defect().isEmpty());
        if (found.isEmpty()) {
            return Optional.empty();
        }
        return Optional.of(new MpiCollectives(found.get(), found.get().program(directory, "collectives")));
    }

    /** Runs the program on {@code ranks} processes, with MPI's defaults, and returns the lines that it prints. */
    public List<String> run(int ranks, List<String> words) throws IOException, InterruptedException {
        final List<String> command = new ArrayList<>(
                List.of(tools.launcher().toString(), "-n", Integer.toString(ranks), program.toString()));
        command.addAll(words);
        final ProcessBuilder builder = new ProcessBuilder(command).redirectErrorStream(true);
        builder.environment().put("OMPI_ALLOW_RUN_AS_ROOT", "1");
        builder.environment().put("OMPI_ALLOW_RUN_AS_ROOT_CONFIRM", "1");
        builder.environment().put("OMPI_MCA_rmaps_base_oversubscribe", "1");
        // Where a container forbids direct reads of another process, Open MPI would only complain.
        builder.environment().put("OMPI_MCA_btl_vader_single_copy_mechanism", "none");
        final Process process = builder.start();
        try {
            process.getOutputStream().close();
            final String text = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
            if (!process.waitFor(LIMIT_S, TimeUnit.SECONDS) || process.exitValue() != 0) {
                throw new IOException(String.join(" ", command) + " failed: " + text.strip());
            }
            return text.lines().toList();
        } finally {
            process.destroyForcibly();
        }
    }
}
