package org.segno.node;

import java.net.InetSocketAddress;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import org.segno.engine.job.HubNetwork;
import org.segno.engine.job.JobId;
import org.segno.engine.job.JobVariables;
import org.segno.engine.job.SettingNames;
import org.segno.engine.launcher.LauncherField;
import org.segno.engine.launcher.LauncherVariables;
import org.segno.engine.launcher.LauncherVariables.Variable;
import org.segno.status.SegnoException;

/** The variables that assign a process its rank in a job: methods that read and write them. */
public final class JobEnvironment {

    private static final List<String> NEEDED = List.of(JobVariables.RANK, JobVariables.SIZE, JobVariables.JOB);
    private static final List<String> LOCAL = List.of(JobVariables.LOCAL_RANK, JobVariables.LOCAL_SIZE);
    private static final List<String> SETTINGS = List.of(
            JobVariables.DIR,
            JobVariables.START_TIMEOUT,
            JobVariables.KEEP,
            JobVariables.LAUNCHED,
            JobVariables.ENGINE_CORE,
            JobVariables.HUB,
            JobVariables.SECRET_FILE,
            JobVariables.SILENCE);

    private JobEnvironment() {}

    /** Returns the variables of this process. A property replaces the variable that it overrides. */
    static Map<String, String> ofThisProcess() {
        SettingNames.warnOfUnknownOnce();
        final Map<String, String> variables = new HashMap<>(System.getenv());
        for (final List<String> names : List.of(NEEDED, LOCAL, SETTINGS)) {
            for (final String name : names) {
                final String property = System.getProperty(propertyName(name));
                if (property != null && SettingNames.isSet(property)) {
                    variables.put(name, property);
                }
            }
        }
        return variables;
    }

    /** Reads the variables of a rank. An empty one counts as not set. */
    static JobConfig read(Map<String, String> given) {
        final Map<String, String> variables = new HashMap<>(given);
        variables.values().removeIf(value -> !SettingNames.isSet(value));
        try {
            final Map<String, Variable> others = new HashMap<>();
            return withSettings(member(withOtherLauncher(variables, others), others), variables);
        } catch (IllegalArgumentException e) {
            throw new SegnoException("the environment does not describe a rank of a job: " + e.getMessage(), e);
        }
    }

    static Map<String, String> write(JobConfig config) {
        final Map<String, String> variables = new LinkedHashMap<>();
        variables.put(JobVariables.RANK, Integer.toString(config.rank()));
        variables.put(JobVariables.SIZE, Integer.toString(config.size()));
        variables.put(JobVariables.LOCAL_RANK, Integer.toString(config.localRank()));
        variables.put(JobVariables.LOCAL_SIZE, Integer.toString(config.localSize()));
        variables.put(JobVariables.JOB, config.jobName());
        variables.put(JobVariables.DIR, config.directory().toString());
        variables.put(JobVariables.START_TIMEOUT, format(config.joinTimeout()));
        variables.put(JobVariables.KEEP, Boolean.toString(config.keep()));
        variables.put(JobVariables.LAUNCHED, Boolean.toString(config.launched()));
        config.engineCore().ifPresent(core -> variables.put(JobVariables.ENGINE_CORE, Integer.toString(core)));
        config.hub().ifPresent(hub -> variables.put(JobVariables.HUB, text(hub)));
        config.secretFile().ifPresent(file -> variables.put(JobVariables.SECRET_FILE, file.toString()));
        if (!config.silence().equals(HubNetwork.DEFAULT_SILENCE)) {
            variables.put(JobVariables.SILENCE, format(config.silence()));
        }
        return variables;
    }

    private static String text(InetSocketAddress hub) {
        final String host = hub.getHostString();
        return (host.indexOf(':') < 0 ? host : "[" + host + "]") + ":" + hub.getPort();
    }

    /**
     * Returns the same variables, with the values of another launcher under Segno's names. A launcher that gives no
     * rank has not started this process.
     *
     * @param others receives the variables and values that were taken from the other launcher, by Segno's names
     */
    private static Map<String, String> withOtherLauncher(Map<String, String> variables, Map<String, Variable> others) {
        if (variables.containsKey(JobVariables.RANK)) {
            return variables;
        }
        final LauncherVariables other = LauncherVariables.read(variables);
        final Optional<Variable> rank = other.first(LauncherField.RANK);
        if (rank.isEmpty()) {
            return variables;
        }
        final Map<String, String> all = new HashMap<>(variables);
        take(other, LauncherField.RANK, JobVariables.RANK, all, others);
        take(other, LauncherField.SIZE, JobVariables.SIZE, all, others);
        if (other.first(LauncherField.LOCAL_SIZE).isPresent()) {
            take(other, LauncherField.LOCAL_RANK, JobVariables.LOCAL_RANK, all, others);
            take(other, LauncherField.LOCAL_SIZE, JobVariables.LOCAL_SIZE, all, others);
        }
        if (!all.containsKey(JobVariables.JOB)) {
            other.first(LauncherField.JOB)
                    .ifPresent(stated -> all.put(JobVariables.JOB, JobId.shortened(stated.value())));
        }
        requireKnown(all, JobVariables.SIZE, "does not give the size", rank.get());
        if (!all.containsKey(JobVariables.JOB) && text(all, JobVariables.SIZE).equals("1")) {
            all.put(JobVariables.JOB, JobId.uniqueName("alone"));
        }
        requireKnown(all, JobVariables.JOB, "names no job", rank.get());
        return all;
    }

    private static void take(
            LauncherVariables other,
            LauncherField field,
            String name,
            Map<String, String> variables,
            Map<String, Variable> others) {
        other.first(field).ifPresent(stated -> {
            others.put(name, stated);
            final String own = variables.put(name, stated.value());
            if (own != null && !own.trim().equals(stated.value())) {
                throw new IllegalArgumentException("two launchers disagree about " + field + ": " + name + "=" + own
                        + ", " + stated + "; unset " + name + ", or set " + JobVariables.RANK + ", " + JobVariables.SIZE
                        + " and " + JobVariables.JOB
                        + ", which go before all others");
            }
        });
    }

    private static void requireKnown(Map<String, String> variables, String name, String lack, Variable rank) {
        if (!variables.containsKey(name)) {
            throw new IllegalArgumentException("the launcher that gave " + rank + " " + lack + ": set " + name
                    + " to the same for all ranks of this job"
                    + (name.equals(JobVariables.JOB) ? " and for no other job" : ""));
        }
    }

    private static JobConfig member(Map<String, String> variables, Map<String, Variable> others) {
        final List<String> missing = new ArrayList<>(NEEDED);
        missing.removeAll(variables.keySet());
        final List<String> missingLocal = new ArrayList<>(LOCAL);
        missingLocal.removeAll(variables.keySet());
        final boolean local = missingLocal.size() < LOCAL.size();
        if (missing.size() == NEEDED.size() && !local) {
            return JobConfig.alone();
        }
        if (local) {
            missing.addAll(missingLocal);
        }
        if (!missing.isEmpty()) {
            throw new IllegalArgumentException("set " + String.join(", ", missing) + " too, or none of "
                    + String.join(", ", NEEDED) + ", " + String.join(", ", LOCAL) + " for one rank alone");
        }
        requireBelow(variables, JobVariables.RANK, JobVariables.SIZE, others);
        final JobConfig config = JobConfig.of(
                text(variables, JobVariables.JOB),
                number(variables, JobVariables.RANK),
                number(variables, JobVariables.SIZE));
        if (local) {
            requireBelow(variables, JobVariables.LOCAL_RANK, JobVariables.LOCAL_SIZE, others);
        }
        return local
                ? config.withLocal(
                        number(variables, JobVariables.LOCAL_RANK), number(variables, JobVariables.LOCAL_SIZE))
                : config;
    }

    /** Checks the same as {@link JobConfig#of}, but reports the names of the given variables. */
    private static void requireBelow(
            Map<String, String> variables, String rank, String size, Map<String, Variable> others) {
        final Variable statedRank = others.getOrDefault(rank, new Variable(rank, text(variables, rank)));
        final Variable statedSize = others.getOrDefault(size, new Variable(size, text(variables, size)));
        final int number = number(variables, rank);
        if (number < 0 || number >= number(variables, size)) {
            throw new IllegalArgumentException(
                    "a rank must be 0 or more and below its size: " + statedRank + ", " + statedSize);
        }
    }

    private static JobConfig withSettings(JobConfig member, Map<String, String> variables) {
        JobConfig config = member;
        if (variables.containsKey(JobVariables.DIR)) {
            config = config.withDirectory(path(variables, JobVariables.DIR));
        }
        if (variables.containsKey(JobVariables.START_TIMEOUT)) {
            config = config.withJoinTimeout(
                    duration(JobVariables.START_TIMEOUT, text(variables, JobVariables.START_TIMEOUT)));
        }
        if (variables.containsKey(JobVariables.KEEP)) {
            config = config.withKeep(flag(JobVariables.KEEP, text(variables, JobVariables.KEEP)));
        }
        if (variables.containsKey(JobVariables.LAUNCHED)) {
            config = config.withLaunched(flag(JobVariables.LAUNCHED, text(variables, JobVariables.LAUNCHED)));
        }
        if (variables.containsKey(JobVariables.ENGINE_CORE)) {
            config = config.withEngineCore(number(variables, JobVariables.ENGINE_CORE));
        }
        // With a launcher, it is where that listens, and the ranks have its hub in their directory.
        if (variables.containsKey(JobVariables.HUB) && !config.launched()) {
            if (!variables.containsKey(JobVariables.SECRET_FILE)) {
                throw new IllegalArgumentException("set " + JobVariables.SECRET_FILE + " beside " + JobVariables.HUB);
            }
            config = config.withHub(hub(text(variables, JobVariables.HUB)), path(variables, JobVariables.SECRET_FILE));
        }
        if (variables.containsKey(JobVariables.SILENCE)) {
            config = config.withSilence(duration(JobVariables.SILENCE, text(variables, JobVariables.SILENCE)));
        }
        return config;
    }

    private static String text(Map<String, String> variables, String name) {
        return variables.getOrDefault(name, "").trim();
    }

    private static Path path(Map<String, String> variables, String name) {
        try {
            return Path.of(text(variables, name));
        } catch (InvalidPathException e) {
            throw new IllegalArgumentException(name + " must be a path: " + e.getMessage(), e);
        }
    }

    private static InetSocketAddress hub(String text) {
        final int colon = text.lastIndexOf(':');
        final String host = text.substring(0, Math.max(0, colon)).replaceFirst("^\\[(.*)]$", "$1");
        final InetSocketAddress hub;
        try {
            hub = new InetSocketAddress(host, Integer.parseInt(text.substring(colon + 1)));
        } catch (IllegalArgumentException e) {
            throw new IllegalArgumentException(
                    JobVariables.HUB + " must be an address and a port, as 10.0.0.1:7000: '" + text + "'", e);
        }
        if (host.isEmpty() || hub.isUnresolved() || hub.getPort() == 0) {
            throw new IllegalArgumentException(
                    JobVariables.HUB + " must be a known address and a port, as 10.0.0.1:7000: '" + text + "'");
        }
        return hub;
    }

    private static int number(Map<String, String> variables, String name) {
        final String text = text(variables, name);
        try {
            return Integer.parseInt(text);
        } catch (NumberFormatException e) {
            throw new IllegalArgumentException(name + " must be a whole number: '" + text + "'", e);
        }
    }

    private static boolean flag(String name, String text) {
        return switch (text.toLowerCase(Locale.ROOT)) {
            case "true" -> true;
            case "false" -> false;
            default -> throw new IllegalArgumentException(name + " must be true or false: '" + text + "'");
        };
    }

    static Duration duration(String name, String text) {
        final String number = text.replaceFirst("[A-Za-z]*$", "");
        try {
            final long unitNs = unitNs(text.substring(number.length()).toLowerCase(Locale.ROOT));
            return Duration.ofNanos(Math.multiplyExact(Long.parseLong(number), unitNs));
        } catch (NumberFormatException | ArithmeticException e) {
            throw new IllegalArgumentException(
                    name + " must be a number with one of ns, us, ms, s, m, h, as 30s: '" + text + "'", e);
        }
    }

    /**
     * Returns the time after which a silent host is dead, for a launcher.
     *
     * @throws SegnoException if the variable of this process is malformed
     */
    public static Duration silence() {
        final String text = ofThisProcess().get(JobVariables.SILENCE);
        return text == null
                ? HubNetwork.DEFAULT_SILENCE
                : read(Map.of(JobVariables.SILENCE, text)).silence();
    }

    /** Formats a time in the shortest exact notation that {@link JobVariables#START_TIMEOUT} accepts. */
    public static String format(Duration duration) {
        final long ns = duration.toNanos();
        for (final String unit : List.of("h", "m", "s", "ms", "us")) {
            if (ns != 0 && ns % unitNs(unit) == 0) {
                return ns / unitNs(unit) + unit;
            }
        }
        return ns + "ns";
    }

    private static long unitNs(String unit) {
        return switch (unit) {
            case "h" -> 3_600_000_000_000L;
            case "m" -> 60_000_000_000L;
            case "s" -> 1_000_000_000L;
            case "ms" -> 1_000_000L;
            case "us" -> 1_000L;
            case "ns" -> 1L;
            default -> throw new NumberFormatException("no unit of time: " + unit);
        };
    }

    private static String propertyName(String variable) {
        return variable.toLowerCase(Locale.ROOT).replaceFirst("_", ".").replace('_', '-');
    }
}
