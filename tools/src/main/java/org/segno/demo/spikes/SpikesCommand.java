package org.segno.demo.spikes;

import org.segno.demo.comparison.ComparisonCommand;
import picocli.CommandLine.Command;

/** The {@code segno demo spikes} command: multicasts of thousands of cells on several ranks. */
@Command(
        name = "spikes",
        mixinStandardHelpOptions = true,
        sortOptions = false,
        description = {
            "Let cells fire and notify their targets, each by a multicast of its own.",
            "Targets are random; the 16 bytes change every time. Messages are sent one by",
            "one, as multisend and replayed, by turns; counts and sums of the received",
            "spikes are checked."
        },
        footer = {"", "Exit code: 0; 1 a count or a sum was wrong."})
public final class SpikesCommand extends ComparisonCommand {
    /** Creates the command. Called by picocli. */
    public SpikesCommand() {
        super(SpikesRank.class, new SpikesOptions());
    }
}
