package org.segno.tools;

import java.util.concurrent.Callable;
import org.segno.tools.command.ExitCode;
import org.segno.tools.command.Version;
import picocli.AutoComplete;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** The {@code segno completion bash} command. It prints the completion script. */
@Command(
        name = "completion",
        mixinStandardHelpOptions = true,
        versionProvider = Version.class,
        description = "Print the completion script; use it with: source <(segno completion bash)")
final class CompletionCommand implements Callable<Integer> {
    /** Shells that have a completion script. */
    enum Shell {
        BASH
    }

    @Spec
    @SuppressWarnings("NullAway.Init") // set by picocli
    private CommandSpec spec;

    @Parameters(paramLabel = "SHELL", description = "${COMPLETION-CANDIDATES}")
    @SuppressWarnings({"NullAway.Init", "unused"}) // set by picocli, which accepts only constants of the enum
    private Shell shell;

    CompletionCommand() {}

    @Override
    public Integer call() {
        spec.commandLine().getOut().print(AutoComplete.bash("segno", spec.root().commandLine()));
        spec.commandLine().getOut().flush();
        return ExitCode.DONE;
    }
}
