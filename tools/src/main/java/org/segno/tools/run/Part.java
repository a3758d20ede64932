package org.segno.tools.run;

import java.nio.file.Path;
import java.util.Collections;
import java.util.Map;
import java.util.TreeMap;
import org.segno.tools.program.Program;

/**
 * Ranks of a job that execute the same program. The ranks of a job are those of its parts, one part after the other.
 *
 * @param rankCount the number of ranks, one or more
 * @param program the program that each rank executes
 * @param directory the ranks' working directory, absolute
 * @param variables the variables for these ranks alone, which take precedence over the launcher's own
 */
record Part(int rankCount, Program program, Path directory, Map<String, String> variables) {
    Part {
        directory = directory.toAbsolutePath().normalize();
        variables = Collections.unmodifiableMap(new TreeMap<>(variables));
    }

    /** Returns the same ranks with another program. */
    Part with(Program other) {
        return new Part(rankCount, other, directory, variables);
    }
}
