package org.segno.tools.demo.spikes;

import org.segno.tools.demo.ways.WayCommand;
import picocli.CommandLine.Command;

/** {@code segno demo spikes}: multicasts of thousands of cells on several ranks of this host. */
@Command(
        name = "spikes",
        mixinStandardHelpOptions = true,
        sortOptions = false,
        description = {
            "Let cells fire and tell their targets, each by a multicast of its own.",
            "Targets are drawn by chance; the 16 bytes are other ones every time. Messages",
            "are sent one by one, as multisend and replayed, by turns; counts and sums of",
            "what has come are checked."
        },
        footer = {"", "Exit code: 0; 1 a count or a sum was wrong."})
public final class SpikesCommand extends WayCommand {
    /** For picocli. */
    public SpikesCommand() {
        super(SpikesRank.class, new SpikesOptions());
    }
}
