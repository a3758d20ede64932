package org.segno.demo.fourier;

import org.segno.demo.comparison.ComparisonCommand;
import picocli.CommandLine.Command;

/** The {@code segno demo fft3d} command: a Fourier transform in three dimensions on several ranks. */
@Command(
        name = "fft3d",
        mixinStandardHelpOptions = true,
        sortOptions = false,
        description = {
            "Transform a grid by pencils, forward and backward.",
            "Each of the four transposes is sent one by one, as multisend and replayed, by",
            "turns; every result is checked against one process, and against the",
            "original grid."
        },
        footer = {"", "Exit code: 0; 1 a value was wrong."})
public final class FourierCommand extends ComparisonCommand {
    /** Creates the command. Called by picocli. */
    public FourierCommand() {
        super(FourierRank.class, new FourierOptions());
    }
}
