package org.segno.tools.demo;

import java.util.List;
import java.util.Map;
import java.util.Stack;
import org.jspecify.annotations.Nullable;
import org.segno.tools.demo.cg.CgCommand;
import org.segno.tools.demo.fourier.FourierCommand;
import org.segno.tools.demo.neighbours.HaloCommand;
import org.segno.tools.demo.spikes.SpikesCommand;
import picocli.CommandLine.Command;
import picocli.CommandLine.IParameterPreprocessor;
import picocli.CommandLine.Model.ArgSpec;
import picocli.CommandLine.Model.CommandSpec;

/** The {@code segno demo} command. Without a name it runs {@code segno demo cg} and accepts its options. */
@Command(
        name = "demo",
        mixinStandardHelpOptions = true,
        subcommands = {CgCommand.class, FourierCommand.class, HaloCommand.class, SpikesCommand.class},
        preprocessor = DemoCommand.DefaultDemo.class,
        synopsisHeading = "Usage: ",
        customSynopsis = "segno demo [cg|fft3d|halo4d|spikes] [-n N] [options]",
        description = "Run a real program on Segno and check its result; without a name cg, on 4 ranks.",
        footer = {"", "'segno demo NAME --help' lists the options."})
public final class DemoCommand {
    /** Creates the command. Called by picocli. */
    public DemoCommand() {}

    /** Preprocessor that inserts the default demo if the command line names none. */
    static final class DefaultDemo implements IParameterPreprocessor {
        private static final String NAME = "cg";
        private static final List<String> OWN = List.of("-h", "--help", "-V", "--version");

        /** Creates the preprocessor. Called by picocli. */
        DefaultDemo() {}

        @Override
        public boolean preprocess(
                Stack<String> arguments,
                CommandSpec command,
                @Nullable ArgSpec argument,
                Map<String, Object> information) {
            if (arguments.isEmpty() || (arguments.peek().startsWith("-") && !OWN.contains(arguments.peek()))) {
                arguments.push(NAME);
            }
            // False: picocli continues to parse the arguments.
            return false;
        }
    }
}
