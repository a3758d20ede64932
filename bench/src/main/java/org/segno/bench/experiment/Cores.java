package org.segno.bench.experiment;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/** Cores that this process may use. */
public final class Cores {
    private static final Path STATUS = Path.of("/proc/self/status");
    /** Scheduler statistics of a thread: time on a core, time ready without one, number of turns. */
    private static final Path SCHEDULING = Path.of("/proc/thread-self/schedstat");

    private static final String FIELD = "Cpus_allowed_list:";

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
