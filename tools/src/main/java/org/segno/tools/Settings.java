package org.segno.tools;

import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Properties;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.segno.tools.command.CommandException;
import org.segno.tools.command.Console;
import org.segno.tools.command.DurationConverter;
import picocli.CommandLine;
import picocli.CommandLine.IDefaultValueProvider;
import picocli.CommandLine.Model.ArgSpec;
import picocli.CommandLine.Model.OptionSpec;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.ParseResult;

/**
 * Provider of option values that are not on the command line.
 *
 * <p>Each option has two other spellings: {@code --kill-grace} is also the property {@code segno.kill-grace} and the
 * variable {@code SEGNO_KILL_GRACE}. They are read in this order, then the file that {@code --config} names, then the
 * option's own default.
 */
final class Settings implements IDefaultValueProvider {
    private static final String PREFIX = "SEGNO_";

    /** The setting that names the settings file. */
    private static final String CONFIG = "config";

    /** The timeout variable of {@code mpiexec}, which its users have already set: whole seconds, without a unit. */
    private static final String MPI_TIMEOUT = "MPIEXEC_TIMEOUT";

    /** Variables that a launcher sets for its ranks. They are never values of options. */
    private static final Set<String> RANK_VARIABLES = Set.of(
            "SEGNO_RANK",
            "SEGNO_SIZE",
            "SEGNO_LOCAL_RANK",
            "SEGNO_LOCAL_SIZE",
            "SEGNO_JOB",
            "SEGNO_DIR",
            "SEGNO_LAUNCHED",
            "SEGNO_ENGINE_CORE");

    /**
     * Variables of the options of all commands. They are listed because only the requested command is loaded; a test
     * compares the list.
     */
    static final Set<String> OPTION_VARIABLES = Set.of(
            "SEGNO_COLOR",
            "SEGNO_VERBOSE",
            "SEGNO_QUIET",
            "SEGNO_NP",
            "SEGNO_OUTPUT",
            "SEGNO_TAG_OUTPUT",
            "SEGNO_TIMEOUT",
            "SEGNO_START_TIMEOUT",
            "SEGNO_KILL_GRACE",
            "SEGNO_WDIR",
            "SEGNO_CONFIG",
            "SEGNO_AS",
            "SEGNO_STDIN",
            "SEGNO_JAVA",
            "SEGNO_JAVA_OPTS",
            "SEGNO_BIND_TO",
            "SEGNO_REPORT_BINDINGS",
            "SEGNO_DISPLAY",
            "SEGNO_NO_OVERSUBSCRIBE",
            "SEGNO_STACK_TRACES",
            "SEGNO_JFR",
            "SEGNO_IMMEDIATE_LIMIT",
            "SEGNO_EAGER_LIMIT",
            "SEGNO_KEEP",
            "SEGNO_DRY_RUN",
            "SEGNO_MATRIX",
            "SEGNO_GRID",
            "SEGNO_TOLERANCE",
            "SEGNO_MAX_ITERATIONS",
            "SEGNO_VIRTUAL",
            "SEGNO_ITERATIONS",
            "SEGNO_BYTES",
            "SEGNO_CELLS",
            "SEGNO_TARGETS",
            "SEGNO_SPIKES",
            "SEGNO_SEED",
            "SEGNO_FORMAT",
            "SEGNO_WATCH",
            "SEGNO_FILTER",
            "SEGNO_RATES",
            "SEGNO_ERRORS",
            "SEGNO_FIFOS",
            "SEGNO_ID",
            "SEGNO_FROM",
            "SEGNO_LIMIT",
            "SEGNO_HEX",
            "SEGNO_ALL",
            "SEGNO_OLDER_THAN",
            "SEGNO_FORCE",
            "SEGNO_FOR",
            "SEGNO_DEEP",
            "SEGNO_STRICT");

    private final Map<String, String> environment;
    private final Properties properties;
    private SettingsFile file;
    private boolean fileTaken;

    Settings(Map<String, String> environment, Properties properties) {
        this.environment = environment;
        this.properties = properties;
        final String named = properties.getProperty("segno." + CONFIG, environment.get(variableOf(CONFIG)));
        this.file = named == null ? SettingsFile.NONE : SettingsFile.read(Path.of(named));
    }

    /**
     * Reads the settings file that an option of the command line names. Returns true if a file was read, and the
     * command line must be parsed again.
     *
     * @throws CommandException if the file is not fit
     */
    boolean takeFile(ParseResult parsed) {
        ParseResult last = parsed;
        while (last.hasSubcommand()) {
            last = last.subcommand();
        }
        final OptionSpec option = last.matchedOption("--" + CONFIG);
        if (fileTaken || option == null || !(option.getValue() instanceof Path path)) {
            return false;
        }
        fileTaken = true;
        file = SettingsFile.read(path);
        return true;
    }

    /**
     * Origin of an option's value.
     *
     * @param name property, variable, or line of the settings file
     * @param typed value as the user has set it
     * @param value the same value in the form that the option accepts
     */
    private record Source(String name, String typed, String value) {}

    @Override
    public @Nullable String defaultValue(ArgSpec argument) {
        final Source source = source(argument);
        return source == null ? null : source.value;
    }

    /**
     * Current state of one setting, as {@code segno info --config} lists it.
     *
     * @param value the value that a command would use now; null for none
     * @param source property, variable, file or {@code default}
     */
    record Standing(@Nullable String value, String source) {}

    /** Returns the value and source of an option that is omitted from the command line. */
    Standing standing(OptionSpec option) {
        final Source source = source(option);
        return source == null
                ? new Standing(option.defaultValue(), "default")
                : new Standing(source.value, source.name);
    }

    private @Nullable Source source(ArgSpec argument) {
        final String name = argument.isOption() ? nameOf((OptionSpec) argument) : null;
        if (name == null || name.equals(CONFIG) || RANK_VARIABLES.contains(variableOf(name))) {
            return null;
        }
        final String property = properties.getProperty("segno." + name);
        if (property != null) {
            return new Source("property segno." + name, property, property);
        }
        final String value = environment.get(variableOf(name));
        if (value != null) {
            return new Source("variable " + variableOf(name), value, value);
        }
        final Source mpi = name.equals("timeout") ? mpiTimeout() : null;
        final String filed = file.value(name);
        return mpi != null || filed == null ? mpi : new Source(file + ": " + name, filed, filed);
    }

    private @Nullable Source mpiTimeout() {
        final String seconds = environment.get(MPI_TIMEOUT);
        return seconds == null ? null : new Source("variable " + MPI_TIMEOUT, seconds, seconds + "s");
    }

    /** Returns true if the wrong value comes from a settings file. Then an input is at fault, not the command line. */
    boolean isFiled(ParameterException problem) {
        final ArgSpec argument = problem.getArgSpec();
        final Source wrong = argument == null ? null : source(argument);
        return wrong != null && wrong.value.equals(problem.getValue()) && wrong.name.startsWith(file + ": ");
    }

    /**
     * Returns the message of a wrong command line. If the value was not on the command line, the message names its
     * property, variable or file.
     */
    String explain(ParameterException problem) {
        // The name that users type, instead of the longest.
        final String message = String.valueOf(problem.getMessage()).replace("option '--np'", "option '-n'");
        final ArgSpec argument = problem.getArgSpec();
        final Source wrong = argument == null ? null : source(argument);
        if (wrong != null && wrong.value.equals(problem.getValue())) {
            final boolean converted = !wrong.typed.equals(wrong.value);
            return "Invalid value for " + wrong.name + ": "
                    + (converted
                            ? "'" + wrong.typed + "' is not a number of seconds up to "
                                    + DurationConverter.LONGEST.toSeconds()
                            : message.replaceFirst("^Invalid value for option '[^']*'( \\([^)]*\\))?: ", ""));
        }
        return message + origins(problem.getCommandLine(), message, argument);
    }

    /**
     * Returns the sources of the options in a message that were not given on the command line. Omits {@code wrong},
     * which was.
     */
    private String origins(CommandLine commandLine, String message, @Nullable ArgSpec wrong) {
        final ParseResult parsed = commandLine.getParseResult();
        final List<String> words = List.of(message.split("[^-A-Za-z]+"));
        final StringBuilder origins = new StringBuilder();
        for (final OptionSpec option : commandLine.getCommandSpec().options()) {
            final Source source = source(option);
            final boolean given = parsed == null || parsed.hasMatchedOption(option);
            if (source != null
                    && !given
                    && !option.equals(wrong)
                    && Stream.of(option.names()).anyMatch(words::contains)) {
                origins.append(" (set by ")
                        .append(source.name)
                        .append('=')
                        .append(source.typed)
                        .append(')');
            }
        }
        return origins.toString();
    }

    /**
     * Returns the setting's name, from the option's longest name: {@code kill-grace}. Returns null if the option has
     * only a letter or is no setting.
     */
    static @Nullable String nameOf(OptionSpec option) {
        final String name = option.longestName();
        return name.startsWith("--") && !option.usageHelp() && !option.versionHelp() ? name.substring(2) : null;
    }

    static String variableOf(String name) {
        return PREFIX + name.toUpperCase(Locale.ROOT).replace('-', '_');
    }

    /** Warns about each {@code SEGNO_*} variable that segno does not use, and suggests the nearest name. */
    static void warnUnknown(Map<String, String> environment, Console console) {
        for (final String name : new TreeSet<>(environment.keySet())) {
            if (name.startsWith(PREFIX) && !isKnown(name)) {
                console.problem("variable " + name + " is not used by segno, did you mean " + nearest(name) + "?");
            }
        }
    }

    static boolean isKnown(String variable) {
        return RANK_VARIABLES.contains(variable) || OPTION_VARIABLES.contains(variable);
    }

    /** Returns true if the variable belongs to an option. */
    static boolean isOption(String variable) {
        return OPTION_VARIABLES.contains(variable);
    }

    /** Returns the name of the setting that a variable sets. */
    static String nameOf(String variable) {
        return variable.substring(PREFIX.length()).toLowerCase(Locale.ROOT).replace('_', '-');
    }

    static String nearest(String name) {
        final Set<String> known = new TreeSet<>(RANK_VARIABLES);
        known.addAll(OPTION_VARIABLES);
        String best = "";
        int bestDistance = Integer.MAX_VALUE;
        for (final String candidate : known) {
            final int distance = distance(name, candidate);
            if (distance < bestDistance) {
                best = candidate;
                bestDistance = distance;
            }
        }
        return best;
    }

    /** Returns the number of edits (insert, delete, replace a letter) that turn one word into the other. */
    private static int distance(String from, String to) {
        int[] above = new int[to.length() + 1];
        for (int column = 0; column <= to.length(); column++) {
            above[column] = column;
        }
        for (int row = 1; row <= from.length(); row++) {
            final int[] current = new int[to.length() + 1];
            current[0] = row;
            for (int column = 1; column <= to.length(); column++) {
                final int replaced = above[column - 1] + (from.charAt(row - 1) == to.charAt(column - 1) ? 0 : 1);
                current[column] = Math.min(replaced, Math.min(above[column], current[column - 1]) + 1);
            }
            above = current;
        }
        return above[to.length()];
    }
}
