package org.segno.tools.run.process;

import java.io.FileDescriptor;
import java.io.FileOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.function.IntFunction;
import java.util.function.Supplier;
import org.segno.tools.command.CommandException;
import org.segno.tools.command.ExitCode;
import org.segno.tools.command.Terminal;
import org.segno.tools.process.LineCopy;
import org.segno.tools.process.SharedStream;
import org.segno.tools.run.plan.OutputPlan;

/**
 * The ranks' output, copied to the destinations of a plan. Any thread may start a stream; one thread per stream copies.
 */
public final class RankOutputs implements AutoCloseable {
    private static final long OUTPUT_LIMIT_MS = 2_000;

    private final OutputPlan plan;
    private final int size;
    private final String job;
    private final IntFunction<String> host;
    private final long startNs;
    private final Consumer<IOException> lost;
    private final SharedStream output;
    private final SharedStream error;
    private final Map<Path, SharedStream> files = new HashMap<>();
    private final List<Thread> threads = new CopyOnWriteArrayList<>();

    /**
     * Opens the files of all ranks.
     *
     * @param host the name of a rank's host
     * @param lost receives the reason if output can no longer be written
     * @throws CommandException if a file cannot be created.
     */
    public RankOutputs(
            OutputPlan plan, int size, String job, IntFunction<String> host, long startNs, Consumer<IOException> lost) {
        this.host = host;
        this.plan = plan;
        this.size = size;
        this.job = job;
        this.startNs = startNs;
        this.lost = lost;
        output = stream(new FileOutputStream(FileDescriptor.out), Terminal.standardOutputIsTerminal(), lost);
        final FileOutputStream errorTarget = new FileOutputStream(FileDescriptor.err);
        error = Terminal.outputAndErrorAreOne()
                ? output.sibling(errorTarget)
                : stream(errorTarget, Terminal.standardErrorIsTerminal(), lost);
        for (int rank = 0; rank < size && plan.hasFiles(); rank++) {
            open(path(rank, false));
            open(path(rank, true));
        }
    }

    private static SharedStream stream(OutputStream target, boolean terminal, Consumer<IOException> lost) {
        return terminal ? SharedStream.toTerminal(target, lost) : new SharedStream(target, lost);
    }

    private Path path(int rank, boolean ofError) {
        return plan.pathOf(ofError, new OutputPlan.Names(rank, size, host.apply(rank), job));
    }

    private void open(Path path) {
        if (files.containsKey(path)) {
            return;
        }
        try {
            final Path parent = path.getParent();
            if (parent != null) {
                Files.createDirectories(parent);
            }
            files.put(path, new SharedStream(Files.newOutputStream(path), lost));
        } catch (final IOException e) {
            close();
            throw new CommandException(ExitCode.NOT_FIT, "--output cannot write " + path + ": " + e);
        }
    }

    /** Starts the thread that copies one stream of a rank. */
    public void start(int rank, boolean ofError, InputStream source) {
        final boolean apart = ofError && !plan.merge();
        final List<SharedStream> targets = new ArrayList<>();
        if (plan.hasFiles()) {
            targets.add(files.get(path(rank, apart)));
        }
        if (plan.shown()) {
            targets.add(apart ? error : output);
        }
        final String tag = "[" + rank + (apart ? "]<err> " : "]<out> ");
        threads.add(new LineCopy(targets, prefix(tag)).start(source, tag.trim()));
    }

    private Supplier<String> prefix(String tag) {
        final String shownTag = plan.tag() ? tag : "";
        return plan.timestamp()
                ? () -> String.format(Locale.ROOT, "%.6f %s", (System.nanoTime() - startNs) / 1e9, shownTag)
                : () -> shownTag;
    }

    /** Waits a short time for the last lines. A daemon that a rank has left behind may hold the rank's pipe open. */
    public void finish() throws InterruptedException {
        final long deadlineNs = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(OUTPUT_LIMIT_MS);
        for (final Thread thread : threads) {
            thread.join(Math.max(1, TimeUnit.NANOSECONDS.toMillis(deadlineNs - System.nanoTime())));
        }
    }

    @Override
    public void close() {
        files.values().forEach(SharedStream::close);
    }
}
