package org.segno.demo.spikes;

import org.segno.demo.comparison.ComparisonRank;
import org.segno.demo.rank.RankProgram;
import picocli.CommandLine.Command;

/** Main class of each rank of the demo. */
@Command(name = "spikes-rank", description = "One rank of 'segno demo spikes'.")
public final class SpikesRank extends ComparisonRank {
    private SpikesRank() {
        super(new SpikesOptions());
    }

    /** Runs one rank and ends the process with its exit code. */
    public static void main(String[] arguments) {
        System.exit(RankProgram.execute(new SpikesRank(), arguments));
    }
}
