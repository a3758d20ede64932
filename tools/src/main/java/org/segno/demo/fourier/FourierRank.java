package org.segno.demo.fourier;

import org.segno.demo.comparison.ComparisonRank;
import org.segno.demo.rank.RankProgram;
import picocli.CommandLine.Command;

/** Main class of each rank of the demo. */
@Command(name = "fft3d-rank", description = "One rank of 'segno demo fft3d'.")
public final class FourierRank extends ComparisonRank {
    private FourierRank() {
        super(new FourierOptions());
    }

    /** Runs one rank and ends the process with its exit code. */
    public static void main(String[] arguments) {
        System.exit(RankProgram.execute(new FourierRank(), arguments));
    }
}
