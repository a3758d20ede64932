package org.segno.engine.job;

import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Properties;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * The names of all settings of Segno, and the warnings about variables {@code SEGNO_*} and properties {@code segno.*}
 * that are none of them. A rank inherits the variables of its launcher, so a program's own process must know the names
 * of the command's options too. Tests compare the lists with the options and with the settings of a node.
 */
public final class SettingNames {
    private static final Logger LOGGER = System.getLogger(SettingNames.class.getName());
    private static final String VARIABLE_PREFIX = "SEGNO_";
    private static final String PROPERTY_PREFIX = "segno.";

    /** Names of the variables that assign a process its place in a job. They are never options. */
    private static final Set<String> PLACE =
            names("rank size local-rank local-size job dir launched engine-core secret-file silence mtu");

    /** Names of the settings of a node. */
    private static final Set<String> NODE = names("""
            threading idle thread-level transport contexts engines fifo-count fifo-slots pattern-buffer-bytes patterns
            run-slots injection-counters reception-counters lane-budget-bytes window-bytes windows immediate-limit
            eager-limit deferred-messages algorithm-table round-checks""");

    /** Names of the other options of all commands. */
    private static final Set<String> COMMANDS = names("""
            color verbose quiet np output tag-output timeout start-timeout kill-grace wdir config as stdin java
            java-opts bind-to report-bindings display no-oversubscribe stack-traces jfr keep keep-going dry-run matrix
            grid tolerance max-iterations virtual iterations bytes cells targets spikes seed format watch filter rates
            errors fifos id from limit hex all yes older-than force for deep strict nodes workload
            operations seeds faults check trace until host hostfile map-by rsh net hub port-range links record
            record-payload record-ring-bytes record-sync by to ignore-time kind peer pattern since match follow
            reverse no-index speed times verify algorithms points dimensions clusters warm-up""");

    /** Names of properties that have no variable: those between a launcher and its ranks, and of tests. */
    private static final Set<String> PROPERTIES = names("rank-socket rank-output rank-input crash-points");

    private static final Set<String> OPTIONS = union(NODE, COMMANDS);
    private static final Set<String> VARIABLES = union(OPTIONS, PLACE);

    private static final AtomicBoolean WARNED = new AtomicBoolean();

    private SettingNames() {}

    private static Set<String> names(String text) {
        return Set.of(text.split("\\s+"));
    }

    private static Set<String> union(Set<String> some, Set<String> others) {
        return Stream.concat(some.stream(), others.stream()).collect(Collectors.toUnmodifiableSet());
    }

    /** Returns the names of the settings of a node: {@code fifo-slots}. */
    public static Set<String> ofNode() {
        return NODE;
    }

    /** Returns the names of all options: {@code kill-grace}. */
    public static Set<String> ofOptions() {
        return OPTIONS;
    }

    /** Returns the names of the settings that only a launcher makes: {@code rank}. */
    public static Set<String> ofPlace() {
        return PLACE;
    }

    /** Returns the variable of a setting: {@code SEGNO_KILL_GRACE} of {@code kill-grace}. */
    public static String variable(String name) {
        return VARIABLE_PREFIX + name.toUpperCase(Locale.ROOT).replace('-', '_');
    }

    /** Returns the property of a setting: {@code segno.kill-grace} of {@code kill-grace}. */
    public static String property(String name) {
        return PROPERTY_PREFIX + name;
    }

    /** Returns true if a variable or property sets something: it has a value that is not empty. */
    public static boolean isSet(@Nullable String value) {
        return value != null && !value.isBlank();
    }

    /**
     * Returns a sentence for each variable with Segno's prefix that names no setting, with the nearest name if there is
     * one.
     */
    public static List<String> unknownVariables(Set<String> variables) {
        final List<String> problems = new ArrayList<>();
        for (final String variable : new TreeSet<>(variables)) {
            if (variable.startsWith(VARIABLE_PREFIX)) {
                final String name = variable.substring(VARIABLE_PREFIX.length())
                        .toLowerCase(Locale.ROOT)
                        .replace('_', '-');
                // A name in another case, or with a hyphen, is not read: it is unknown, and the right name is near.
                if (!VARIABLES.contains(name) || !variable(name).equals(variable)) {
                    problems.add("variable " + variable + " is not used by segno" + suggestion(name, VARIABLES, true));
                }
            }
        }
        return problems;
    }

    /**
     * Returns a sentence for each property with Segno's prefix that names no setting, with the nearest name if there is
     * one.
     */
    public static List<String> unknownProperties(Properties properties) {
        final List<String> problems = new ArrayList<>();
        final Set<String> known = union(VARIABLES, PROPERTIES);
        for (final String property : new TreeSet<>(properties.stringPropertyNames())) {
            final String name =
                    property.startsWith(PROPERTY_PREFIX) ? property.substring(PROPERTY_PREFIX.length()) : "";
            if (!name.isEmpty() && !known.contains(name)) {
                problems.add("property " + property + " is not used by segno" + suggestion(name, VARIABLES, false));
            }
        }
        return problems;
    }

    private static String suggestion(String name, Set<String> known, boolean isVariable) {
        final String plain = name.toLowerCase(Locale.ROOT).replace('_', '-');
        return Spelling.nearest(plain, known)
                .map(near -> ", did you mean " + (isVariable ? variable(near) : property(near)) + "?")
                .orElse("");
    }

    /**
     * Logs a warning for each unknown name, once in the life of this process. In a rank that {@code segno run} has
     * started, only the properties are checked: the launcher has the same variables and has warned.
     */
    public static void warnOfUnknownOnce() {
        if (!WARNED.compareAndSet(false, true)) {
            return;
        }
        if (!Boolean.parseBoolean(System.getenv(JobVariables.LAUNCHED))) {
            unknownVariables(System.getenv().keySet()).forEach(problem -> LOGGER.log(Level.WARNING, problem));
        }
        unknownProperties(System.getProperties()).forEach(problem -> LOGGER.log(Level.WARNING, problem));
    }

    /** Turns the warnings of this process off, for a command that prints them itself. */
    public static void turnWarningsOff() {
        WARNED.set(true);
    }
}
