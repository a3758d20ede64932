package org.segno.tools.run;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.stream.Stream;
import org.segno.job.JobConfig;
import org.segno.tools.CommandException;
import org.segno.tools.ExitCode;
import org.segno.tools.output.Quantity;

/** Which core each rank of a job has, and what makes it so. */
final class Placement {
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
     * Gives each rank a core of its own, in order.
     *
     * @param cores that this process may run on, by their numbers
     * @throws CommandException when there are too few.
     */
    static Placement of(Binding binding, int rankCount, List<Integer> cores) {
        if (binding != Binding.NONE && rankCount > cores.size()) {
            throw new CommandException(
                    ExitCode.NOT_FIT,
                    "--bind-to " + name(binding) + " gives each rank a core of its own: "
                            + Quantity.of(rankCount, "rank") + ", " + Quantity.of(cores.size(), "core")
                            + "; use -n " + Math.max(1, cores.size()) + " or --bind-to none");
        }
        return new Placement(binding, rankCount, cores);
    }

    /** The words in front of a rank's command. */
    List<String> prefix(int rank) {
        return binding == Binding.CORE ? List.of("taskset", "-c", String.valueOf(cores.get(rank))) : List.of();
    }

    /** Whether {@link #prefix} or the ranks themselves need the program {@code taskset}. */
    boolean needsTaskset() {
        return binding != Binding.NONE;
    }

    /** The rank's place in its job with what its engine must know. */
    JobConfig complete(JobConfig job) {
        return binding == Binding.THREADS ? job.withEngineCore(cores.get(job.rank())) : job;
    }

    /**
     * What a JVM that is bound to one core must be told. It would see that core alone, choose its collector for it, and
     * the engine would take the core for shared by all ranks: so it sees as many cores as the ranks have together.
     *
     * @param options the user's, which go before
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

    /** What is bound to what, for people. */
    String describe(int rank) {
        return switch (binding) {
            case NONE -> "not bound";
            case THREADS -> "engine thread bound to core " + cores.get(rank) + ", if the rank has one";
            case CORE -> "bound to core " + cores.get(rank);
        };
    }

    static String name(Binding binding) {
        return binding.name().toLowerCase(Locale.ROOT);
    }
}
