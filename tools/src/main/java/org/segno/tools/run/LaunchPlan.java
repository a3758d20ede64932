package org.segno.tools.run;

import java.nio.file.Path;
import java.time.Duration;
import org.jspecify.annotations.Nullable;
import org.segno.job.JobEnvironment;

/**
 * What the launcher shall start and how. Immutable: each {@code with} answers a changed copy.
 *
 * <p>Unless tagged, the ranks write to the launcher's own standard output and error themselves, so that what rank 0
 * prints is the command's data, byte for byte. Rank 0 also reads the launcher's standard input, the others read
 * nothing.
 */
public final class LaunchPlan {
    /** More than any single host starts; a typing error, most likely. */
    public static final int RANK_LIMIT = 1024;

    /** How long ranks wait for each other when they join. */
    public static final Duration DEFAULT_START_TIMEOUT = Duration.ofSeconds(30);

    /** What joins longer than this is not worth waiting for. */
    public static final Duration LONGEST_START_TIMEOUT = Duration.ofDays(365);

    /** How long ranks have between TERM and KILL. */
    public static final Duration DEFAULT_KILL_GRACE = Duration.ofSeconds(5);

    private final int rankCount;
    private final Program program;
    private Path directory = Path.of("").toAbsolutePath();
    private Path jobParent = jobParentOfThisProcess();
    private boolean tagged;
    private boolean kept;
    private boolean joining;
    private @Nullable Duration timeout;
    private Duration startTimeout = DEFAULT_START_TIMEOUT;
    private Duration killGrace = DEFAULT_KILL_GRACE;

    private LaunchPlan(int rankCount, Program program) {
        this.rankCount = rankCount;
        this.program = program;
    }

    /**
     * A plan for {@code rankCount} processes on this host, from 1 to {@link #RANK_LIMIT}, that each run {@code
     * program}.
     *
     * @throws IllegalArgumentException when the count is out of range.
     */
    public static LaunchPlan of(int rankCount, Program program) {
        if (rankCount < 1 || rankCount > RANK_LIMIT) {
            throw new IllegalArgumentException("-n must be from 1 to " + RANK_LIMIT + ": " + rankCount);
        }
        return new LaunchPlan(rankCount, program);
    }

    /** The ranks' working directory; default: the launcher's. */
    public LaunchPlan withDirectory(Path directory) {
        final LaunchPlan copy = copy();
        copy.directory = directory.toAbsolutePath().normalize();
        return copy;
    }

    /** The parent of job directories; default: what {@code segno.dir} or {@code SEGNO_DIR} say, else /dev/shm. */
    public LaunchPlan withJobParent(Path jobParent) {
        final LaunchPlan copy = copy();
        copy.jobParent = jobParent.toAbsolutePath().normalize();
        return copy;
    }

    /** Each line that a rank writes gets its rank and stream in front; default: bytes pass untouched. */
    public LaunchPlan withTags(boolean tagged) {
        final LaunchPlan copy = copy();
        copy.tagged = tagged;
        return copy;
    }

    /** Leave the job's directory when the job has ended. */
    public LaunchPlan withKept(boolean kept) {
        final LaunchPlan copy = copy();
        copy.kept = kept;
        return copy;
    }

    /** Every rank joins the job, so that room for their nodes is needed; default: they may be any program. */
    public LaunchPlan withJoining(boolean joining) {
        final LaunchPlan copy = copy();
        copy.joining = joining;
        return copy;
    }

    /** End the job after this time, null for never; so is zero, as for {@code timeout(1)}. */
    public LaunchPlan withTimeout(@Nullable Duration timeout) {
        final LaunchPlan copy = copy();
        copy.timeout = timeout == null || timeout.isZero() ? null : timeout;
        return copy;
    }

    /**
     * How long ranks wait for each other when they join; default {@link #DEFAULT_START_TIMEOUT}.
     *
     * @throws IllegalArgumentException when the time is not above zero, or longer than {@link #LONGEST_START_TIMEOUT}.
     */
    public LaunchPlan withStartTimeout(Duration startTimeout) {
        if (startTimeout.isZero() || startTimeout.compareTo(LONGEST_START_TIMEOUT) > 0) {
            throw new IllegalArgumentException("--start-timeout must be above zero and at most "
                    + JobEnvironment.format(LONGEST_START_TIMEOUT) + ": " + JobEnvironment.format(startTimeout));
        }
        final LaunchPlan copy = copy();
        copy.startTimeout = startTimeout;
        return copy;
    }

    /** How long ranks have between TERM and KILL; default {@link #DEFAULT_KILL_GRACE}. */
    public LaunchPlan withKillGrace(Duration killGrace) {
        final LaunchPlan copy = copy();
        copy.killGrace = killGrace;
        return copy;
    }

    private static Path jobParentOfThisProcess() {
        final String property = System.getProperty("segno.dir");
        final String parent = property != null ? property : System.getenv("SEGNO_DIR");
        return Path.of(parent == null ? "/dev/shm" : parent).toAbsolutePath().normalize();
    }

    private LaunchPlan copy() {
        final LaunchPlan copy = new LaunchPlan(rankCount, program);
        copy.directory = directory;
        copy.jobParent = jobParent;
        copy.tagged = tagged;
        copy.kept = kept;
        copy.joining = joining;
        copy.timeout = timeout;
        copy.startTimeout = startTimeout;
        copy.killGrace = killGrace;
        return copy;
    }

    int rankCount() {
        return rankCount;
    }

    Program program() {
        return program;
    }

    Path directory() {
        return directory;
    }

    Path jobParent() {
        return jobParent;
    }

    boolean tagged() {
        return tagged;
    }

    boolean kept() {
        return kept;
    }

    boolean joining() {
        return joining;
    }

    @Nullable
    Duration timeout() {
        return timeout;
    }

    Duration startTimeout() {
        return startTimeout;
    }

    Duration killGrace() {
        return killGrace;
    }
}
