package org.segno.demo.neighbours;

import org.segno.demo.comparison.ComparisonRank;
import org.segno.demo.rank.RankProgram;
import picocli.CommandLine.Command;

/** Main class of each rank of the demo. */
@Command(name = "halo4d-rank", description = "One rank of 'segno demo halo4d'.")
public final class HaloRank extends ComparisonRank {
    private HaloRank() {
        super(new HaloOptions());
    }

    /** Runs one rank and ends the process with its exit code. */
    public static void main(String[] arguments) {
        System.exit(RankProgram.execute(new HaloRank(), arguments));
    }
}
