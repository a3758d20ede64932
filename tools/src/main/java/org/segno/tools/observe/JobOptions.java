package org.segno.tools.observe;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.segno.job.JobEnvironment;
import org.segno.tools.CommandException;
import org.segno.tools.ExitCode;
import org.segno.tools.Segno;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** Which job and which of its ranks are meant, and the job that this finds: what every command that looks at jobs takes. */
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

    /** For the command that takes them. */
    public JobOptions() {}

    /**
     * The parent of job directories: what {@code segno.dir} or {@code SEGNO_DIR} say, else /dev/shm.
     *
     * @throws CommandException with {@link ExitCode#NOT_FIT} if that is empty, which would mean the current directory
     */
    public static Path parent() {
        final String variable = System.getenv().getOrDefault(JobEnvironment.DIR, DEFAULT_PARENT);
        final String parent = System.getProperty(PARENT_PROPERTY, variable);
        if (parent.isBlank()) {
            throw new CommandException(ExitCode.NOT_FIT, JobEnvironment.DIR + " is empty: give it a value or unset it");
        }
        return Path.of(parent);
    }

    /** True if there is a job of this name, with some or none of its digits. */
    public static boolean isJob(String word) {
        return JobSearch.all(parent()).stream().anyMatch(job -> job.isMeant(word));
    }

    /** True unless {@code --rank} leaves the rank out. */
    public boolean isMeant(int rank) {
        return ranks.test(rank);
    }

    /**
     * Opens the job that is meant.
     *
     * @param word its name, with some or none of its digits, or a directory; null if it was left out
     * @throws CommandException 4 if there is none, 2 if several are meant, 3 if its files are not fit
     */
    public ObservedJob open(@Nullable String word) {
        if (word != null && word.contains("/")) {
            return ObservedJob.open(only(JobSearch.in(Path.of(word)), word), ranks);
        }
        final List<JobFiles> jobs = readable(JobSearch.all(parent()).stream()
                .filter(job -> word == null || job.isMeant(word))
                .toList());
        // A job's name goes before that of a directory that happens to be here.
        final List<JobFiles> meant =
                word != null && jobs.isEmpty() && Files.isDirectory(Path.of(word)) ? JobSearch.in(Path.of(word)) : jobs;
        return ObservedJob.open(only(running(meant, word), word), ranks);
    }

    /** Of several, those with a file to read; what is skipped is named. */
    private List<JobFiles> readable(List<JobFiles> jobs) {
        final List<JobFiles> readable =
                jobs.stream().filter(job -> !job.isUnreadable()).toList();
        if (readable.isEmpty()) {
            return jobs;
        }
        jobs.stream()
                .filter(JobFiles::isUnreadable)
                .forEach(job -> Segno.talk(spec)
                        .say("skipped " + job.directory() + ", which has no node file that can be read"));
        return readable;
    }

    /** Where none was named, jobs that have processes go before those that have left a directory. */
    private static List<JobFiles> running(List<JobFiles> jobs, @Nullable String word) {
        final List<JobFiles> running = jobs.stream()
                .filter(job -> job.nodes().values().stream().anyMatch(path -> path.startsWith("/proc")))
                .toList();
        return word == null && !running.isEmpty() ? running : jobs;
    }

    private static JobFiles only(List<JobFiles> jobs, @Nullable String word) {
        if (jobs.isEmpty()) {
            if (word != null && word.contains("/")) {
                throw new CommandException(ExitCode.NOTHING_THERE, "there is no node file in " + word);
            }
            final String where =
                    " among the processes that this user may look into, and no directory of one in " + parent();
            throw new CommandException(
                    ExitCode.NOTHING_THERE, word == null ? "no job" + where : "no job '" + word + "'" + where);
        }
        if (jobs.size() > 1) {
            final String names = jobs.stream()
                    .map(job -> "\n  " + job.name() + "  " + job.nodes().size()
                            + (job.nodes().size() == 1 ? " node" : " nodes"))
                    .collect(Collectors.joining());
            throw new CommandException(
                    ExitCode.WRONG_COMMAND_LINE, "there are " + jobs.size() + " jobs, name one of them:" + names);
        }
        return jobs.get(0);
    }
}
