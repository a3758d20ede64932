package org.segno.tools.run.plan;

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
public record JobPart(int rankCount, Program program, Path directory, Map<String, String> variables) {
    public JobPart {
        directory = directory.toAbsolutePath().normalize();
        variables = Collections.unmodifiableMap(new TreeMap<>(variables));
    }

    /** Returns the same ranks with another program. */
    JobPart with(Program other) {
        return new JobPart(rankCount, other, directory, variables);
    }
}
