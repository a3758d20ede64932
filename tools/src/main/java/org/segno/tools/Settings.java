package org.segno.tools;

import java.util.Locale;
import java.util.Map;
import java.util.Properties;
import java.util.Set;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.IDefaultValueProvider;
import picocli.CommandLine.Model.ArgSpec;
import picocli.CommandLine.Model.OptionSpec;

/**
 * Gives each option its two other spellings: {@code --kill-grace} is also the property {@code segno.kill-grace} and the
 * variable {@code SEGNO_KILL_GRACE}, in this order, before the option's own default.
 */
final class Settings implements IDefaultValueProvider {
    private static final String PREFIX = "SEGNO_";

    /** What a launcher tells its ranks: never the value of an option. */
    private static final Set<String> RANK_VARIABLES = Set.of(
            "SEGNO_RANK",
            "SEGNO_SIZE",
            "SEGNO_LOCAL_RANK",
            "SEGNO_LOCAL_SIZE",
            "SEGNO_JOB",
            "SEGNO_DIR",
            "SEGNO_LAUNCHED");

    /** The options of all commands, listed because only the command that was asked for is loaded; a test compares. */
    private static final Set<String> OPTION_VARIABLES = Set.of(
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
            "SEGNO_KEEP",
            "SEGNO_DRY_RUN",
            "SEGNO_MATRIX",
            "SEGNO_GRID",
            "SEGNO_TOLERANCE",
            "SEGNO_MAX_ITERATIONS",
            "SEGNO_FORMAT");

    private final Map<String, String> environment;
    private final Properties properties;

    Settings(Map<String, String> environment, Properties properties) {
        this.environment = environment;
        this.properties = properties;
    }

    @Override
    public @Nullable String defaultValue(ArgSpec argument) {
        final String name = argument.isOption() ? nameOf((OptionSpec) argument) : null;
        if (name == null || RANK_VARIABLES.contains(variableOf(name))) {
            return null;
        }
        final String property = properties.getProperty("segno." + name);
        if (property != null) {
            return property;
        }
        final String value = environment.get(variableOf(name));
        if (value == null && name.equals("timeout")) {
            return mpiTimeout();
        }
        return value;
    }

    /** {@code MPIEXEC_TIMEOUT} is what users of mpiexec have set already: whole seconds, without a unit. */
    private @Nullable String mpiTimeout() {
        final String seconds = environment.get("MPIEXEC_TIMEOUT");
        return seconds == null ? null : seconds + "s";
    }

    /**
     * The setting's name, from the option's longest name: {@code kill-grace}; null when it has only a letter or is no
     * setting.
     */
    static @Nullable String nameOf(OptionSpec option) {
        final String name = option.longestName();
        return name.startsWith("--") && !option.usageHelp() && !option.versionHelp() ? name.substring(2) : null;
    }

    static String variableOf(String name) {
        return PREFIX + name.toUpperCase(Locale.ROOT).replace('-', '_');
    }

    /** Warns about each {@code SEGNO_*} variable that means nothing, with the nearest name that does. */
    static void warnUnknown(Map<String, String> environment, Talk talk) {
        for (final String name : new TreeSet<>(environment.keySet())) {
            if (name.startsWith(PREFIX) && !isKnown(name)) {
                talk.problem("variable " + name + " means nothing to segno, did you mean " + nearest(name) + "?");
            }
        }
    }

    static boolean isKnown(String variable) {
        return RANK_VARIABLES.contains(variable) || OPTION_VARIABLES.contains(variable);
    }

    private static String nearest(String name) {
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

    /** Edits (insert, delete, replace a letter) that lead from one word to the other. */
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
