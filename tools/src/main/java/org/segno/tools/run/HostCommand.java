package org.segno.tools.run;

import java.io.FileDescriptor;
import java.io.FileInputStream;
import java.io.FileOutputStream;
import java.util.concurrent.Callable;
import org.segno.tools.command.CommandException;
import org.segno.tools.command.ExitCode;
import org.segno.tools.command.Terminal;
import org.segno.tools.run.agent.HostAgent;
import org.segno.tools.run.remote.AgentCommand;
import picocli.CommandLine.Command;

/** {@code segno host}: runs the ranks of this host for a launcher on another one, which starts it. */
@Command(name = AgentCommand.NAME, hidden = true, description = "Run the ranks of this host, for segno run --host.")
public final class HostCommand implements Callable<Integer> {
    /** Name of the subcommand. */
    public static final String NAME = AgentCommand.NAME;

    /** For picocli. */
    public HostCommand() {}

    @Override
    public Integer call() throws InterruptedException {
        if (Terminal.standardInputIsTerminal()) {
            throw new CommandException(
                    ExitCode.WRONG_COMMAND_LINE, "segno run starts this command on the hosts that --host names");
        }
        return HostAgent.run(new FileInputStream(FileDescriptor.in), new FileOutputStream(FileDescriptor.out));
    }
}
