package org.segno.tools;

import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Properties;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.segno.engine.job.SettingNames;
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
 * option's own default. A property or variable that is empty counts as not set.
 */
final class Settings implements IDefaultValueProvider {
    /** The setting that names the settings file. */
    private static final String CONFIG = "config";

    /** The timeout variable of {@code mpiexec}, which its users have already set: whole seconds, without a unit. */
    private static final String MPI_TIMEOUT = "MPIEXEC_TIMEOUT";

    private final Map<String, String> environment;
    private final Properties properties;
    private SettingsFile file;
    private boolean fileTaken;

    Settings(Map<String, String> environment, Properties properties) {
        this.environment = environment;
        this.properties = properties;
        final String property = properties.getProperty(SettingNames.property(CONFIG));
        final String named = SettingNames.isSet(property) ? property : environment.get(SettingNames.variable(CONFIG));
        this.file = named == null || !SettingNames.isSet(named) ? SettingsFile.NONE : SettingsFile.read(Path.of(named));
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
        if (name == null || name.equals(CONFIG) || SettingNames.ofPlace().contains(name)) {
            return null;
        }
        final String property = properties.getProperty(SettingNames.property(name));
        if (property != null && SettingNames.isSet(property)) {
            return new Source("property " + SettingNames.property(name), property, property);
        }
        final String value = environment.get(SettingNames.variable(name));
        if (value != null && SettingNames.isSet(value)) {
            return new Source("variable " + SettingNames.variable(name), value, value);
        }
        final Source mpi = name.equals("timeout") ? mpiTimeout() : null;
        final String filed = file.value(name);
        return mpi != null || filed == null ? mpi : new Source(file + ": " + name, filed, filed);
    }

    private @Nullable Source mpiTimeout() {
        final String seconds = environment.get(MPI_TIMEOUT);
        return seconds == null || !SettingNames.isSet(seconds)
                ? null
                : new Source("variable " + MPI_TIMEOUT, seconds, seconds + "s");
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

    /**
     * Warns about each {@code SEGNO_*} variable and {@code segno.*} property that segno does not use, and suggests the
     * nearest name if it is near.
     */
    static void warnUnknown(Map<String, String> environment, Properties properties, Console console) {
        SettingNames.unknownVariables(environment.keySet()).forEach(console::problem);
        SettingNames.unknownProperties(properties).forEach(console::problem);
        SettingNames.turnWarningsOff();
    }
}
