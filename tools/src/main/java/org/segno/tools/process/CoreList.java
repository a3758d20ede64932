package org.segno.tools.process;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/** Numbers of cores in the form of Linux: {@code 0-3,8}. */
public final class CoreList {
    private static final String FIELD = "Cpus_allowed_list:";

    private CoreList() {}

    /** Returns the cores of this process in ascending order, or none if the system does not report them. */
    public static List<Integer> ofThisProcess() {
        try {
            for (final String line : Files.readAllLines(Path.of("/proc/self/status"))) {
                if (line.startsWith(FIELD)) {
                    return parse(line.substring(FIELD.length()));
                }
            }
        } catch (final IOException ignored) {
            // Not Linux: binding is impossible here, and a request for it is reported.
        }
        return List.of();
    }

    /** Returns the cores of a list in ascending order; none if it is blank. */
    public static List<Integer> parse(String text) {
        final List<Integer> cores = new ArrayList<>();
        final String list = text.trim();
        for (final String range : list.isEmpty() ? new String[0] : list.split(",", -1)) {
            final int dash = range.indexOf('-');
            final int first = Integer.parseInt(dash < 0 ? range : range.substring(0, dash));
            final int last = dash < 0 ? first : Integer.parseInt(range.substring(dash + 1));
            for (int core = first; core <= last; core++) {
                cores.add(core);
            }
        }
        return cores;
    }
}
