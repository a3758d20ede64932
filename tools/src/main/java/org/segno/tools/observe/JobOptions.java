package org.segno.tools.observe;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.segno.engine.job.JobVariables;
import org.segno.engine.job.SettingNames;
import org.segno.tools.command.CommandException;
import org.segno.tools.command.Console;
import org.segno.tools.command.ExitCode;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** Options that select a job and its ranks, shared by every command that inspects jobs. */
public final class JobOptions {
    private static final String DEFAULT_PARENT = "/dev/shm";
    private static final String PARENT_PROPERTY = "segno.dir";

    @Spec(Spec.Target.MIXEE)
    @SuppressWarnings("NullAway.Init") // set by picocli
    private CommandSpec spec;

    @Option(
            names = "--rank",
            paramLabel = "L",
            converter = RankSet.Converter.class,
            description = "these ranks only: 0,2-5; ^1 is all but 1")
    private RankSet ranks = RankSet.all();

    /** Creates the options of one command. */
    public JobOptions() {}

    /**
     * Returns the parent of job directories: {@code segno.dir}, else {@code SEGNO_DIR}, else /dev/shm. One that is empty
     * counts as not set; it does not mean the current directory.
     */
    public static Path parent() {
        final String property = System.getProperty(PARENT_PROPERTY);
        final String parent = SettingNames.isSet(property) ? property : System.getenv(JobVariables.DIR);
        return Path.of(parent == null || !SettingNames.isSet(parent) ? DEFAULT_PARENT : parent.trim());
    }

    /** Returns true if there is a job of this name, given with some or none of its digits. */
    public static boolean isJob(String word) {
        return JobSearch.all(parent()).stream().anyMatch(job -> job.isMeant(word));
    }

    /** Returns true unless {@code --rank} excludes the rank. */
    public boolean isMeant(int rank) {
        return ranks.test(rank);
    }

    /**
     * Opens the selected job.
     *
     * @param word its name, with some or none of its digits, or a directory; null if it was omitted
     * @throws CommandException 4 if there is no such job, 2 if several match, 3 if its files are not fit
     */
    public ObservedJob open(@Nullable String word) {
        if (word != null && word.contains("/")) {
            return ObservedJob.open(only(JobSearch.in(Path.of(word)), word), ranks);
        }
        final List<JobFiles> jobs = readable(JobSearch.all(parent()).stream()
                .filter(job -> word == null || job.isMeant(word))
                .toList());
        // A job's name has precedence over a directory of the same name in the current directory.
        final List<JobFiles> meant =
                word != null && jobs.isEmpty() && Files.isDirectory(Path.of(word)) ? JobSearch.in(Path.of(word)) : jobs;
        return ObservedJob.open(only(running(meant, word), word), ranks);
    }

    /**
     * Returns the jobs with a readable file, and names each job that is skipped. Returns all jobs if no file is
     * readable.
     */
    private List<JobFiles> readable(List<JobFiles> jobs) {
        final List<JobFiles> readable =
                jobs.stream().filter(job -> !job.isUnreadable()).toList();
        if (readable.isEmpty()) {
            return jobs;
        }
        jobs.stream()
                .filter(JobFiles::isUnreadable)
                .forEach(job ->
                        Console.of(spec).message("skipped " + job.directory() + ", which has no readable node file"));
        return readable;
    }

    /** Returns the jobs that have processes, or all jobs if there are none or a job was named. */
    private static List<JobFiles> running(List<JobFiles> jobs, @Nullable String word) {
        final List<JobFiles> running = jobs.stream()
                .filter(job -> job.nodes().values().stream().anyMatch(path -> path.startsWith("/proc")))
                .toList();
        return word == null && !running.isEmpty() ? running : jobs;
    }

    private static JobFiles only(List<JobFiles> jobs, @Nullable String word) {
        if (jobs.isEmpty()) {
            if (word != null && word.contains("/")) {
                throw new CommandException(ExitCode.NOTHING_THERE, "no node file in " + word);
            }
            final String where = " among the processes that this user may inspect, and no job directory in " + parent();
            throw new CommandException(
                    ExitCode.NOTHING_THERE, word == null ? "no job" + where : "no job '" + word + "'" + where);
        }
        if (jobs.size() > 1) {
            final String names = jobs.stream()
                    .map(job -> "\n  " + job.name() + "  " + job.nodes().size()
                            + (job.nodes().size() == 1 ? " node" : " nodes"))
                    .collect(Collectors.joining());
            throw new CommandException(
                    ExitCode.WRONG_COMMAND_LINE, "there are " + jobs.size() + " jobs; name one of them:" + names);
        }
        return jobs.get(0);
    }
}
