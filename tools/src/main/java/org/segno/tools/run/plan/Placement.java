package org.segno.tools.run.plan;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.stream.Stream;
import org.segno.node.JobConfig;
import org.segno.tools.command.CommandException;
import org.segno.tools.command.ExitCode;
import org.segno.tools.output.Quantity;

/**
 * The core of each rank of this host, with the command prefixes and options that bind the rank to it. Ranks are
 * numbered within the host here.
 */
public final class Placement {
    private static final String COLLECTOR = ".*-XX:\\+Use\\w+GC\\b.*";
    private static final List<String> OPTION_VARIABLES =
            List.of("JAVA_TOOL_OPTIONS", "JDK_JAVA_OPTIONS", "_JAVA_OPTIONS");

    private final Binding binding;
    private final int rankCount;
    private final List<Integer> cores;

    private Placement(Binding binding, int rankCount, List<Integer> cores) {
        this.binding = binding;
        this.rankCount = rankCount;
        this.cores = List.copyOf(cores);
    }

    /**
     * Assigns each rank a core of its own, in order.
     *
     * @param cores the numbers of the cores that this process may run on
     * @throws CommandException if there are too few cores.
     */
    public static Placement of(Binding binding, int rankCount, List<Integer> cores) {
        if (binding != Binding.NONE && rankCount > cores.size()) {
            throw new CommandException(
                    ExitCode.NOT_FIT,
                    "--bind-to " + name(binding) + " gives each rank a core of its own: "
                            + Quantity.of(rankCount, "rank") + ", " + Quantity.of(cores.size(), "core")
                            + "; use -n " + Math.max(1, cores.size()) + " or --bind-to none");
        }
        return new Placement(binding, rankCount, cores);
    }

    /** Returns the words to put in front of a rank's command. */
    List<String> prefix(int localRank) {
        return binding == Binding.CORE ? List.of("taskset", "-c", String.valueOf(cores.get(localRank))) : List.of();
    }

    /** Returns whether {@link #prefix} or the ranks themselves need the program {@code taskset}. */
    public boolean needsTaskset() {
        return binding != Binding.NONE;
    }

    /** Returns the rank's job configuration, completed with the core of its engine thread if that thread is bound. */
    JobConfig complete(JobConfig job) {
        return binding == Binding.THREADS ? job.withEngineCore(cores.get(job.localRank())) : job;
    }

    /**
     * Returns the options to add for a JVM that is bound to one core. Without them the JVM would detect that core alone
     * and choose its collector for it, and the engine would assume that all ranks share the core. With them the JVM
     * assumes as many cores as the ranks have together.
     *
     * @param options the user's options, which precede the returned ones
     */
    List<String> javaOptions(List<String> options, Map<String, String> environment) {
        final List<String> added = new ArrayList<>();
        if (binding == Binding.CORE) {
            added.add("-XX:ActiveProcessorCount=" + rankCount);
            final Stream<String> variables = OPTION_VARIABLES.stream().map(name -> environment.getOrDefault(name, ""));
            if (cores.size() > 1
                    && Stream.concat(options.stream(), variables).noneMatch(text -> text.matches(COLLECTOR))) {
                added.add("-XX:+UseG1GC");
            }
        }
        return added;
    }

    /** Returns a rank's binding as text for the user. */
    public String describe(int localRank) {
        return switch (binding) {
            case NONE -> "not bound";
            case THREADS -> "engine thread bound to core " + cores.get(localRank) + ", if the rank has one";
            case CORE -> "bound to core " + cores.get(localRank);
        };
    }

    public static String name(Binding binding) {
        return binding.name().toLowerCase(Locale.ROOT);
    }
}
