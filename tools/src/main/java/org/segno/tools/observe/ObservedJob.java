package org.segno.tools.observe;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.function.Predicate;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.segno.engine.memory.NodeDimensions;
import org.segno.engine.memory.NodeLayout;
import org.segno.engine.memory.NodeMemory;
import org.segno.engine.memory.ObservedNode;
import org.segno.status.SegnoException;
import org.segno.tools.command.CommandException;
import org.segno.tools.command.ExitCode;

/** A job that is observed from outside: all of its nodes that can be found, opened and mapped read-only. */
public final class ObservedJob {
    private final JobFiles files;
    private final int size;
    private final List<ObservedRank> ranks;
    private final Predicate<Integer> wanted;

    private ObservedJob(JobFiles files, int size, List<ObservedRank> ranks, Predicate<Integer> wanted) {
        this.files = files;
        this.size = size;
        this.ranks = List.copyOf(ranks);
        this.wanted = wanted;
    }

    /**
     * Opens the nodes of a job.
     *
     * @param wanted ranks to open
     * @throws CommandException with {@link ExitCode#NOT_FIT} if a file is not a node file of this version; with {@link
     *     ExitCode#NOTHING_THERE} if no rank is wanted, or the job has ended since its files were found
     */
    static ObservedJob open(JobFiles files, Predicate<Integer> wanted) {
        final List<ObservedRank> ranks = new ArrayList<>();
        int size = 0;
        for (final var file : files.nodes().entrySet()) {
            if (wanted.test(file.getKey())) {
                try {
                    final ObservedRank rank =
                            new ObservedRank(file.getKey(), file.getValue(), ObservedNode.open(file.getValue()));
                    size = Math.max(size, rank.memory().layout().dimensions().size());
                    ranks.add(rank);
                } catch (final SegnoException e) {
                    if (file.getValue().startsWith("/proc") && !Files.exists(file.getValue())) {
                        throw new CommandException(ExitCode.NOTHING_THERE, "job " + files.shortName() + " has ended");
                    }
                    throw new CommandException(
                            ExitCode.NOT_FIT,
                            "rank " + file.getKey() + " of job " + files.shortName() + ": " + e.getMessage());
                }
            }
        }
        if (ranks.isEmpty()) {
            throw new CommandException(
                    ExitCode.NOTHING_THERE,
                    "job " + files.shortName() + " has none of the ranks in --rank; it has "
                            + files.nodes().keySet());
        }
        return new ObservedJob(files, size, ranks, wanted);
    }

    /**
     * Returns the names of the job directories whose files are open in some process, whether the directories still
     * exist or not.
     *
     * @param parent the parent of job directories
     * @return their names
     */
    public static Set<String> openDirectories(Path parent) {
        return JobSearch.all(parent).stream()
                .filter(job -> job.nodes().values().stream().anyMatch(file -> file.startsWith("/proc")))
                .map(JobFiles::directory)
                .collect(Collectors.toSet());
    }

    /** Returns true if {@code word} names the job with this directory name. */
    public static boolean isMeant(String word, String directory) {
        return JobSearch.named(directory).map(job -> job.isMeant(word)).orElse(false);
    }

    /** Returns the job's name with four of its digits, as the launcher prints it. */
    public String name() {
        return files.shortName();
    }

    /** Returns the job's whole name. */
    public String fullName() {
        return files.name();
    }

    /** Returns the number of ranks of the job, including those that were not opened. */
    public int size() {
        return size;
    }

    /** Returns the opened nodes, by rank. */
    public List<ObservedRank> ranks() {
        return ranks;
    }

    /** Returns the wanted ranks that have no file although their job has ended and its directory was kept. */
    public List<Integer> missing() {
        return hasProcesses() || !hasDirectory()
                ? List.of()
                : withoutFile().stream().filter(wanted).toList();
    }

    /**
     * Returns the ranks without a file that map the memory of an opened one. All others may be ranks of another host,
     * which has a directory of its own.
     */
    private List<Integer> withoutFile() {
        return ranks.stream()
                .flatMapToInt(rank -> mapping(rank.memory()))
                // The contents of a damaged file are arbitrary.
                .filter(rank -> rank >= 0 && rank < size)
                .filter(rank -> !files.nodes().containsKey(rank))
                .distinct()
                .sorted()
                .boxed()
                .toList();
    }

    /** Returns the ranks that map the memory of a node. */
    private static IntStream mapping(NodeMemory node) {
        final NodeDimensions dimensions = node.layout().dimensions();
        return IntStream.range(0, dimensions.mapped()).map(place -> node.originOf(place * dimensions.engines()));
    }

    /** Returns the ranks for which a file was found. */
    public List<Integer> found() {
        return List.copyOf(files.nodes().keySet());
    }

    /**
     * Returns the job's state: {@code starting}, {@code runs}, {@code stopped} (one rank is enough), {@code closing},
     * or {@code ended} and kept.
     */
    public String standing() {
        final List<String> states = ranks.stream().map(ObservedRank::state).toList();
        if (!hasProcesses()) {
            return "ended";
        }
        if (states.contains("starting") || !withoutFile().isEmpty()) {
            return "starting";
        }
        return states.contains("stopped") ? "stopped" : states.contains("closed") ? "closing" : "runs";
    }

    /** Returns true while a process of an opened rank exists. */
    public boolean hasProcesses() {
        return ranks.stream().anyMatch(rank -> rank.process() != ProcessStanding.GONE);
    }

    /** Returns true if the job's directory exists: it was kept, or the job is still starting. */
    public boolean hasDirectory() {
        return files.kept();
    }

    /** Describes the job in one line: name, ranks, state, layout version of its files. */
    public String describe() {
        return name() + " · " + size + (size == 1 ? " rank · " : " ranks · ") + standing()
                + (hasDirectory() ? ", directory kept" : "") + " · layout "
                + NodeLayout.VERSION;
    }
}
