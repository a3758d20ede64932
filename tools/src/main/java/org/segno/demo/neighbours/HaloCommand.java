package org.segno.demo.neighbours;

import org.segno.demo.comparison.ComparisonCommand;
import picocli.CommandLine.Command;

/** The {@code segno demo halo4d} command: exchanges with neighbours in four and three dimensions, on several ranks. */
@Command(
        name = "halo4d",
        mixinStandardHelpOptions = true,
        sortOptions = false,
        description = {
            "Exchange with the neighbours in a torus, 8 in four dimensions, 26 in three.",
            "Pieces are sent one by one, as multisend and replayed, by turns; every",
            "received element is checked."
        },
        footer = {"", "Exit code: 0; 1 an element was wrong."})
public final class HaloCommand extends ComparisonCommand {
    /** Creates the command. Called by picocli. */
    public HaloCommand() {
        super(HaloRank.class, new HaloOptions());
    }
}
