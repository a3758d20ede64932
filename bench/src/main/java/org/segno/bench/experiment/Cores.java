package org.segno.bench.experiment;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.OptionalInt;
import org.segno.engine.job.Platform;

/** Cores that this process may use. */
public final class Cores {
    private static final Path STATUS = Path.of("/proc/self/status");
    /** Scheduler statistics of a thread: time on a core, time ready without one, number of turns. */
    private static final Path SCHEDULING = Path.of("/proc/thread-self/schedstat");

    private static final String FIELD = "Cpus_allowed_list:";

    /** Property of a worker with a core for its engine, beside that of its application. */
    private static final String ENGINE_CORE = "bench.engineCore";

    private Cores() {}

    /** Returns the numbers of the allowed cores in ascending order. */
    public static List<Integer> allowed() throws IOException {
        for (final String line : Files.readAllLines(STATUS)) {
            if (line.startsWith(FIELD)) {
                return parse(line.substring(FIELD.length()).strip());
            }
        }
        throw new IOException(STATUS + " has no line " + FIELD);
    }

    /** Returns the core that this worker has for its engine beside that of its application, if it has one. */
    public static OptionalInt engine() {
        final Integer core = Integer.getInteger(ENGINE_CORE);
        return core == null ? OptionalInt.empty() : OptionalInt.of(core);
    }

    /** Returns the option of a worker's JVM that gives its engine a core. */
    public static String engineOption(int core) {
        return "-D" + ENGINE_CORE + "=" + core;
    }

    /** Binds the calling thread to a core, also to one outside those that its process was started with. */
    public static void bindThisThread(int core) {
        try {
            Platform.bindThisThread(core);
        } catch (IOException e) {
            throw new UncheckedIOException("cannot bind a thread to core " + core, e);
        }
    }

    /** Parses a list such as {@code 0-3,8}. */
    static List<Integer> parse(String list) {
        final List<Integer> cores = new ArrayList<>();
        for (final String range : list.split(",", -1)) {
            final String[] ends = range.split("-", 2);
            final int first = Integer.parseInt(ends[0]);
            final int last = Integer.parseInt(ends[ends.length - 1]);
            for (int core = first; core <= last; core++) {
                cores.add(core);
            }
        }
        return cores;
    }

    /**
     * Returns the nanoseconds that the calling thread has been ready to run without a core, or zero if Linux does not
     * report them.
     */
    public static long waitedNs() {
        try {
            return Long.parseLong(Files.readString(SCHEDULING).split(" ", -1)[1]);
        } catch (IOException e) {
            return 0;
        }
    }
}
