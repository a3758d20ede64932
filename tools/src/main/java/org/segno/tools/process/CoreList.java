package org.segno.tools.process;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/** The cores that this process may run on, by their numbers, as Linux lists them: {@code 0-3,8}. */
public final class CoreList {
    private static final String FIELD = "Cpus_allowed_list:";

    private CoreList() {}

    /** Those of this process, in ascending order; none where the system does not tell. */
    public static List<Integer> ofThisProcess() {
        try {
            for (final String line : Files.readAllLines(Path.of("/proc/self/status"))) {
                if (line.startsWith(FIELD)) {
                    return parse(line.substring(FIELD.length()).trim());
                }
            }
        } catch (final IOException ignored) {
            // No Linux: nothing can be bound here, and who asks for it is told.
        }
        return List.of();
    }

    static List<Integer> parse(String text) {
        final List<Integer> cores = new ArrayList<>();
        for (final String range : text.split(",", -1)) {
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
