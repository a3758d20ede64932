package org.segno.tools.journal.command;

import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** {@code segno journal}: journals that {@code segno run --record} has written. */
@Command(
        name = "journal",
        mixinStandardHelpOptions = true,
        subcommands = {
            CatCommand.class,
            JournalStatCommand.class,
            ExportCommand.class,
            DiffCommand.class,
            ReplayCommand.class,
            VerifyCommand.class
        },
        synopsisHeading = "Usage: ",
        customSynopsis = "segno journal COMMAND DIR [options]",
        description = "Read the journal of a job, which 'segno run --record all=DIR' has written.",
        footer = {"", "'segno journal COMMAND --help' lists the options."})
public final class JournalCommand implements Runnable {
    @Spec
    @SuppressWarnings("NullAway.Init") // set by picocli
    private CommandSpec spec;

    /** Creates the command. Called by picocli. */
    public JournalCommand() {}

    @Override
    public void run() {
        throw new ParameterException(
                spec.commandLine(),
                "journal needs a command: "
                        + String.join(", ", spec.subcommands().keySet()));
    }
}
