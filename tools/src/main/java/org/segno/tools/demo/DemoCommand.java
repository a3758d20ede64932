package org.segno.tools.demo;

import java.util.Objects;
import java.util.concurrent.Callable;
import org.segno.tools.demo.cg.CgCommand;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Spec;

/** {@code segno demo}: alone it is {@code segno demo cg}. */
@Command(
        name = "demo",
        mixinStandardHelpOptions = true,
        subcommands = CgCommand.class,
        description = "Run a real program on Segno and check its result; alone: cg on 4 ranks.")
public final class DemoCommand implements Callable<Integer> {
    private static final String DEFAULT_DEMO = "cg";

    @Spec
    @SuppressWarnings("NullAway.Init") // set by picocli
    private CommandSpec spec;

    /** For picocli. */
    public DemoCommand() {}

    @Override
    public Integer call() throws InterruptedException {
        final CommandLine demo = Objects.requireNonNull(spec.subcommands().get(DEFAULT_DEMO));
        // Not executed as a command line of its own: that would forget the options given before the word demo.
        demo.parseArgs();
        return demo.<CgCommand>getCommand().call();
    }
}
