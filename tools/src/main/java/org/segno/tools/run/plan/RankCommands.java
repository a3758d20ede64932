package org.segno.tools.run.plan;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.segno.node.JobConfig;
import org.segno.node.NodeSetting;
import org.segno.operation.MessageLimits;
import org.segno.tools.journal.Flags;
import org.segno.tools.process.ShellWords;
import org.segno.tools.program.Java;
import org.segno.tools.program.Program;

/** The commands that start the ranks of a plan on one host: words, variables and working directory. */
public final class RankCommands {
    private final LaunchPlan plan;
    private final HostRanks ranks;
    private final List<Program> programs;
    private final Placement placement;
    private final JobConfig job;
    private final List<String> threadOptions;

    /**
     * Creates the commands for the ranks of one job on one host.
     *
     * @param ranks the ranks of the host
     * @param programs one program for each part of the plan, compiled if it is to be started
     * @param threadOptions the options for the JVM that runs the ranks as threads
     */
    public RankCommands(
            LaunchPlan plan,
            HostRanks ranks,
            List<Program> programs,
            Placement placement,
            JobConfig job,
            List<String> threadOptions) {
        this.ranks = ranks;
        this.threadOptions = List.copyOf(threadOptions);
        this.plan = plan;
        this.programs = List.copyOf(programs);
        this.placement = placement;
        this.job = job;
    }

    /** Returns the words that start a rank. */
    public List<String> words(int rank) {
        final List<String> words = new ArrayList<>(placement.prefix(ranks.localRank(rank)));
        words.addAll(programs.get(plan.partOf(rank)).command(java(rank)));
        return words;
    }

    private Java java(int rank) {
        final List<String> options =
                new ArrayList<>(placement.javaOptions(plan.java().options(), System.getenv()));
        options.addAll(threadOptions);
        final Path recordings = plan.recordings();
        if (recordings != null) {
            final String name = plan.threaded() ? "ranks.jfr" : "rank-" + rank + ".jfr";
            options.add("-XX:StartFlightRecording=dumponexit=true,filename=" + recordings.resolve(name));
            // The JVM would report the start of the recording on standard output.
            options.add("-Xlog:jfr+startup=error");
        }
        if (plan.journal() != null) {
            options.addAll(Flags.of(plan.java().feature()));
        }
        return plan.java().with(options);
    }

    /** Returns the variables that are set for a rank, the user's variables first. */
    public Map<String, String> variables(int rank) {
        final Map<String, String> variables =
                new LinkedHashMap<>(plan.parts().get(plan.partOf(rank)).variables());
        final MessageLimits limits = plan.messageLimits();
        // A variable of -x takes precedence: it is from the command line, too, and for these ranks alone.
        variables.putIfAbsent(NodeSetting.IMMEDIATE_LIMIT.variable(), Integer.toString(limits.immediateBytes()));
        variables.putIfAbsent(NodeSetting.EAGER_LIMIT.variable(), Long.toString(limits.eagerBytes()));
        for (final NodeSetting setting : NodeSetting.values()) {
            final String value = plan.nodeSetting(setting);
            if (value != null) {
                variables.putIfAbsent(setting.variable(), value);
            }
        }
        final JournalPlan journal = plan.journal();
        if (journal != null) {
            variables.putAll(journal.variables());
        }
        plan.network().variables().forEach(variables::putIfAbsent);
        final JobConfig place = job.withRank(rank).withLocal(ranks.localRank(rank), ranks.size());
        variables.putAll(placement.complete(place).toEnvironment());
        return variables;
    }

    public Path directory(int rank) {
        return plan.parts().get(plan.partOf(rank)).directory();
    }

    /** Returns the command in shell syntax, with the host as a comment if it is another one. */
    public String describe(int rank) {
        final StringBuilder line =
                new StringBuilder("cd ").append(ShellWords.quote(directory(rank).toString()));
        line.append(" &&");
        variables(rank)
                .forEach((name, value) ->
                        line.append(' ').append(name).append('=').append(ShellWords.quote(value)));
        line.append(' ').append(ShellWords.join(words(rank)));
        return ranks.isThisHost() ? line.toString() : line + " # host " + ranks.name();
    }
}
