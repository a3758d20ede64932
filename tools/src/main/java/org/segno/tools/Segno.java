package org.segno.tools;

import java.io.PrintWriter;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.segno.demo.DemoCommand;
import org.segno.engine.job.SettingNames;
import org.segno.status.OpenFiles;
import org.segno.status.SegnoException;
import org.segno.tools.clean.CleanCommand;
import org.segno.tools.command.CommandException;
import org.segno.tools.command.Console;
import org.segno.tools.command.ExitCode;
import org.segno.tools.command.StandardOutput;
import org.segno.tools.command.Terminal;
import org.segno.tools.command.Version;
import org.segno.tools.doctor.DoctorCommand;
import org.segno.tools.inspect.InspectCommand;
import org.segno.tools.journal.command.JournalCommand;
import org.segno.tools.observe.StatCommand;
import org.segno.tools.run.HostCommand;
import org.segno.tools.run.RunCommand;
import org.segno.tools.simulate.SimCommand;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Help.Ansi;
import picocli.CommandLine.IExecutionStrategy;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.RunLast;
import picocli.CommandLine.ScopeType;

/**
 * The {@code segno} command.
 *
 * <p>Reading the annotations of a subcommand takes tens of milliseconds. Therefore only the subcommand on the command
 * line is loaded; help and completion load all of them.
 */
@Command(
        name = "segno",
        mixinStandardHelpOptions = true,
        versionProvider = Version.class,
        synopsisHeading = "Usage: ",
        customSynopsis = "segno [--color WHEN] [-v…] [-q] COMMAND [options] [args]",
        description = "Off-heap, zero-copy messaging between processes, recorded once and replayed.",
        commandListHeading = "%nCommands:%n",
        footer = {
            "",
            "Every long option can also be set as a variable or a property: --kill-grace",
            "is SEGNO_KILL_GRACE and segno.kill-grace. @FILE reads arguments from a file,",
            "@@FILE passes @FILE on."
        })
public final class Segno implements Console.Owner {
    /** Names of all subcommands, in the order of the help. */
    private static final List<String> COMMANDS =
            List.of("run", "demo", "stat", "inspect", "journal", "sim", "clean", "info", "doctor", "completion");

    /** Values of {@code --color}. */
    enum Color {
        AUTO,
        ALWAYS,
        NEVER
    }

    @Option(
            names = "--color",
            paramLabel = "WHEN",
            defaultValue = "auto",
            scope = ScopeType.INHERIT,
            description = "auto, always or never; NO_COLOR is honoured")
    private Color color = Color.AUTO;

    @Option(
            names = {"-v", "--verbose"},
            scope = ScopeType.INHERIT,
            description = "print more details")
    private boolean[] verbose = {};

    @Option(
            names = {"-q", "--quiet"},
            scope = ScopeType.INHERIT,
            description = "print problems only")
    private boolean quiet;

    private @Nullable Console console;

    Segno() {}

    /** Runs the command and ends the process with its exit code. */
    public static void main(String[] args) {
        // The engine's log lines are messages too and get the same prefix. The JDK's logging reads this property when
        // it writes the first line.
        System.setProperty("java.util.logging.SimpleFormatter.format", "segno: %5$s%n");
        System.exit(execute(args, System.getenv()));
    }

    static int execute(String[] args, Map<String, String> environment) {
        final StandardOutput output = StandardOutput.open();
        try {
            final CommandLine top = commandLine(args, environment);
            top.setOut(new PrintWriter(output, true, StandardCharsets.UTF_8));
            final int exitCode = top.execute(args);
            top.getOut().flush();
            output.check();
            return exitCode;
        } catch (final CommandException lost) {
            Console.standardError(0, false).problem(String.valueOf(lost.getMessage()));
            return lost.exitCode();
        } catch (final OutOfMemoryError e) {
            final CommandException notFit = CommandException.outOfMemory(e);
            Console.standardError(0, false).problem(String.valueOf(notFit.getMessage()));
            return notFit.exitCode();
        } catch (final InternalError e) {
            return internal(e, args, environment);
        } catch (final RuntimeException | Error bug) {
            // Exceptions that picocli does not catch. No caller is left to handle them.
            if (OpenFiles.isExhaustedBy(bug)) {
                return outOfFiles(bug, Console.standardError(0, false));
            }
            CrashReport.write(bug, List.of(args), environment, Console.standardError(0, false));
            return ExitCode.BUG;
        }
    }

    /**
     * Handles an internal error. The JVM throws one some time after a faulty access to a mapped file that another
     * process has truncated.
     */
    private static int internal(InternalError error, String[] args, Map<String, String> environment) {
        final Console console = Console.standardError(0, false);
        if (String.valueOf(error.getMessage()).contains("unsafe memory access")) {
            console.problem("a file was truncated while it was read: run the command again");
            return ExitCode.NOT_FIT;
        }
        CrashReport.write(error, List.of(args), environment, console);
        return ExitCode.BUG;
    }

    /** Returns the console that {@code --color}, {@code -v} and {@code -q} configure. */
    @Override
    public Console console() {
        final Console configured = console;
        return configured == null ? Console.standardError(0, false) : configured;
    }

    /**
     * Creates the command with the subcommand in the arguments, or with all subcommands if the arguments contain none.
     */
    static CommandLine commandLine(String[] args, Map<String, String> environment) {
        final Segno segno = new Segno();
        final CommandLine top = new CommandLine(segno);
        final String named = commandNamed(args);
        for (final String name : COMMANDS) {
            if (named == null || named.equals(name)) {
                top.addSubcommand(name, subcommand(name));
            }
        }
        if (HostCommand.NAME.equals(named)) {
            top.addSubcommand(HostCommand.NAME, new CommandLine(new HostCommand()));
        }
        top.setCaseInsensitiveEnumValuesAllowed(true);
        final Settings settings = new Settings(environment, System.getProperties());
        top.setDefaultValueProvider(settings);
        top.setExecutionStrategy(segno.strategy(top, settings, environment));
        top.setParameterExceptionHandler((problem, all) -> wrongCommandLine(problem, settings));
        top.setExecutionExceptionHandler(
                (failure, commandLine, parsed) -> failed(failure, parsed.originalArgs(), environment, segno.console()));
        return top;
    }

    private static CommandLine subcommand(String name) {
        return switch (name) {
            case "run" -> RunCommand.commandLine();
            case "demo" -> new CommandLine(new DemoCommand());
            case "clean" -> new CommandLine(new CleanCommand());
            case "doctor" -> new CommandLine(new DoctorCommand());
            case "info" -> new CommandLine(new InfoCommand());
            case "inspect" -> new CommandLine(new InspectCommand());
            case "journal" -> new CommandLine(new JournalCommand());
            case "sim" -> new CommandLine(new SimCommand());
            case "stat" -> new CommandLine(new StatCommand());
            default -> new CommandLine(new CompletionCommand());
        };
    }

    /** Returns the only subcommand to load, or null to load all. Completion lists all of them, so it counts as none. */
    private static @Nullable String commandNamed(String[] args) {
        for (final String argument : args) {
            if (COMMANDS.contains(argument) || argument.equals(HostCommand.NAME)) {
                return argument.equals("completion") ? null : argument;
            }
        }
        return null;
    }

    private IExecutionStrategy strategy(CommandLine top, Settings settings, Map<String, String> environment) {
        return parsed -> {
            try {
                if (settings.takeFile(parsed)) {
                    return top.execute(parsed.originalArgs().toArray(String[]::new));
                }
            } catch (final CommandException wrong) {
                Console.standardError(0, false).problem(String.valueOf(wrong.getMessage()));
                return wrong.exitCode();
            }
            // A command that runs another command passes here a second time, after its parse has reset the options of
            // this class.
            if (console == null) {
                console = Console.standardError(quiet ? -1 : verbose.length, colored());
                parsed.commandSpec().commandLine().setColorScheme(CommandLine.Help.defaultColorScheme(ansi()));
                // The launcher of an agent has warned.
                if (!parsed.hasSubcommand()
                        || !HostCommand.NAME.equals(
                                parsed.subcommand().commandSpec().name())) {
                    Settings.warnUnknown(environment, System.getProperties(), console);
                }
            }
            return new RunLast().execute(parsed);
        };
    }

    private Ansi ansi() {
        return switch (color) {
            case ALWAYS -> Ansi.ON;
            case NEVER -> Ansi.OFF;
            case AUTO -> Ansi.AUTO;
        };
    }

    private boolean colored() {
        final boolean unwanted = SettingNames.isSet(System.getenv("NO_COLOR")) || !Terminal.standardErrorIsTerminal();
        return color == Color.ALWAYS || (color == Color.AUTO && !unwanted);
    }

    private static int wrongCommandLine(ParameterException problem, Settings settings) {
        final CommandLine commandLine = problem.getCommandLine();
        final Console console = Console.standardError(0, false);
        console.problem(settings.explain(problem));
        Suggestions.of(problem).ifPresent(meant -> console.problem("did you mean " + meant + "?"));
        Suggestions.commands(problem).ifPresent(console::problem);
        console.problem("see '" + commandLine.getCommandSpec().qualifiedName() + " --help'");
        return settings.isFiled(problem) ? ExitCode.NOT_FIT : ExitCode.WRONG_COMMAND_LINE;
    }

    static int failed(Exception failure, List<String> args, Map<String, String> environment, Console console) {
        if (failure instanceof CommandException expected) {
            console.problem(String.valueOf(expected.getMessage()));
            return expected.exitCode();
        }
        if (failure instanceof SegnoException notFit) {
            console.problem(String.valueOf(notFit.getMessage()));
            return ExitCode.NOT_FIT;
        }
        if (OpenFiles.isExhaustedBy(failure)) {
            return outOfFiles(failure, console);
        }
        CrashReport.write(failure, args, environment, console);
        return ExitCode.BUG;
    }

    /**
     * Reports a failure at the limit of open files, where the JDK throws errors of many kinds, of the class loader too.
     */
    private static int outOfFiles(Throwable failure, Console console) {
        console.problem(failure + "; " + OpenFiles.remedy());
        return ExitCode.NOT_FIT;
    }

    /** Returns all names, for the test that compares them with other lists. */
    static List<String> commands() {
        return List.copyOf(COMMANDS);
    }
}
