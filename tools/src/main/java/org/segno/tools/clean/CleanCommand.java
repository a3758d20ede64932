package org.segno.tools.clean;

import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Set;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import org.segno.engine.job.LeftoverJob;
import org.segno.engine.job.LeftoverJob.State;
import org.segno.tools.command.CommandException;
import org.segno.tools.command.DurationConverter;
import org.segno.tools.command.ExitCode;
import org.segno.tools.observe.JobOptions;
import org.segno.tools.observe.ObservedJob;
import org.segno.tools.output.Format;
import org.segno.tools.output.Quantity;
import org.segno.tools.output.Report;
import org.segno.tools.output.Table;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** The {@code segno clean} command. It removes directories of jobs that have ended. */
@Command(
        name = "clean",
        mixinStandardHelpOptions = true,
        sortOptions = false,
        synopsisHeading = "Usage: ",
        description = "Remove directories of ended jobs from SEGNO_DIR, /dev/shm unless set.",
        footer = {
            "",
            "Removes only directories of this user that hold a job's file, whose launcher and",
            "ranks are gone. A kept directory goes by its name, or with --all and a yes: to the",
            "question, by --yes or by --force. Exit code: 0; 1 when something was left on",
            "purpose; 3 when the system does not allow it; 4 when there is no such job."
        })
public final class CleanCommand implements Callable<Integer> {
    private static final String SCHEMA = "segno-clean-1";
    private static final String NO_TERMINAL =
            "it was kept by another launcher, and there is no terminal to ask; its name or --all --yes removes it";

    @Spec
    @SuppressWarnings("NullAway.Init") // set by picocli
    private CommandSpec spec;

    @Parameters(paramLabel = "JOB", arity = "0..*", description = "these jobs only, including kept ones")
    private List<String> jobs = List.of();

    @Option(names = "--all", description = "remove kept directories (--keep) of other launchers too, after a question")
    private boolean all;

    @Option(names = "--yes", description = "--all removes without the question, which needs a terminal")
    private boolean yes;

    @Option(
            names = "--older-than",
            paramLabel = "T",
            converter = DurationConverter.class,
            description = "only directories unchanged for T: 1h")
    private @Nullable Duration age;

    @Option(names = "--dry-run", description = "print what would be removed, and remove nothing")
    private boolean dryRun;

    @Option(names = "--force", description = "remove directories of running jobs too; ranks that have joined continue")
    private boolean force;

    @Option(
            names = "--format",
            paramLabel = "F",
            defaultValue = "table",
            description = "table, csv, json or ndjson, default ${DEFAULT-VALUE}")
    private Format format = Format.TABLE;

    private final Table table = Table.of("directories", "action", "directory", "bytes", "reason");
    private final Confirmation confirmation;
    private boolean leftSome;

    /** The user's answer for all kept directories. */
    private boolean agreed;

    /** Creates the command. Called by picocli. */
    public CleanCommand() {
        this(Confirmation.atTerminal());
    }

    CleanCommand(Confirmation confirmation) {
        this.confirmation = confirmation;
    }

    /**
     * Decision about a directory.
     *
     * @param goes true if it is removed
     * @param reason reason for the decision
     */
    private record Verdict(boolean goes, String reason) {}

    @Override
    public Integer call() {
        final Path parent = JobOptions.parent();
        try {
            final List<LeftoverJob> found = wanted(LeftoverJob.in(parent), parent);
            final Set<String> open = ObservedJob.openDirectories(parent);
            agreed = isAgreed(found, open);
            for (final LeftoverJob leftover : found) {
                settle(leftover, open.contains(jobDirectory(leftover)));
            }
        } catch (final IOException e) {
            throw new CommandException(
                    ExitCode.NOT_FIT,
                    "cannot clean " + parent + ": " + e + "; run it as the owner of the jobs, or set SEGNO_DIR");
        } finally {
            new Report(SCHEMA, table.size() == 0 ? "nothing to remove in " + parent : "")
                    .put("parent", parent)
                    .put("dryRun", dryRun)
                    .add(table)
                    .print(spec.commandLine().getOut(), format);
        }
        return leftSome ? ExitCode.NEGATIVE_RESULT : ExitCode.DONE;
    }

    private List<LeftoverJob> wanted(List<LeftoverJob> found, Path parent) {
        for (final String job : jobs) {
            if (found.stream().noneMatch(leftover -> ObservedJob.isMeant(job, jobDirectory(leftover)))) {
                throw new CommandException(
                        ExitCode.NOTHING_THERE, "job '" + job + "' has no directory of this user in " + parent);
            }
        }
        return found.stream()
                .filter(leftover -> jobs.isEmpty()
                        || jobs.stream().anyMatch(job -> ObservedJob.isMeant(job, jobDirectory(leftover))))
                .toList();
    }

    /**
     * Asks the user once for all kept directories that {@code --all} would remove. Whoever kept them may still want to
     * inspect them. A dry run removes nothing and does not ask.
     */
    private boolean isAgreed(List<LeftoverJob> found, Set<String> open) {
        if (yes || force || dryRun || !all || !jobs.isEmpty()) {
            return true;
        }
        final List<LeftoverJob> kept = found.stream()
                .filter(job -> job.state() == State.KEPT && !open.contains(jobDirectory(job)) && !isYoung(job))
                .toList();
        final long bytes = kept.stream().mapToLong(LeftoverJob::bytes).sum();
        return !kept.isEmpty()
                && confirmation.isGiven("remove " + kept.size()
                        + (kept.size() == 1 ? " directory" : " directories")
                        + " kept by other launchers, " + Quantity.ofBytes(bytes) + "?");
    }

    private static String jobDirectory(LeftoverJob leftover) {
        return leftover.path().getFileName().toString();
    }

    private void settle(LeftoverJob leftover, boolean open) throws IOException {
        Verdict verdict = verdict(leftover, open);
        if (verdict.goes() && !dryRun && !leftover.remove(force)) {
            verdict = new Verdict(false, "a job has claimed it in the meantime");
        }
        leftSome |= !verdict.goes();
        final String action = verdict.goes() ? (dryRun ? "would go" : "removed") : "left";
        table.row(action, jobDirectory(leftover), leftover.bytes(), verdict.reason());
    }

    private Verdict verdict(LeftoverJob leftover, boolean open) {
        if (leftover.state() == State.FOREIGN) {
            return new Verdict(false, "not a job's directory: it has no job file of segno");
        }
        if (open || leftover.state() == State.RUNNING) {
            return force
                    ? new Verdict(true, "forced, its job runs")
                    : new Verdict(false, "its job runs; --force removes it");
        }
        if (isYoung(leftover)) {
            return new Verdict(false, "its job has ended, but it was changed since --older-than");
        }
        if (leftover.state() == State.KEPT) {
            if (!all && !force && jobs.isEmpty()) {
                return new Verdict(false, "it was kept; its name or --all removes it");
            }
            return agreed
                    ? new Verdict(true, "its job has ended, it was kept")
                    : new Verdict(false, confirmation.isPossible() ? "it was kept; not agreed" : NO_TERMINAL);
        }
        return new Verdict(true, "its job has ended");
    }

    /** Returns true if the directory has changed within the last {@code --older-than} before this command started. */
    private boolean isYoung(LeftoverJob leftover) {
        final Instant now = ProcessHandle.current().info().startInstant().orElse(Instant.MAX);
        return age != null && leftover.modified().toInstant().isAfter(now.minus(age));
    }
}
