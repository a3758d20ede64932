package org.segno.tools.run;

import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.segno.job.JobEnvironment;
import org.segno.operation.MessageLimits;
import org.segno.tools.observe.JobOptions;
import org.segno.tools.program.Java;

/**
 * What the launcher shall start and how. Immutable: each {@code with} answers a changed copy.
 *
 * <p>Unless output is captured, the ranks write to the launcher's own standard output and error themselves, so that what
 * rank 0 prints is the command's data, byte for byte. One rank reads the launcher's standard input, the others read
 * nothing.
 */
final class LaunchPlan {
    /** More than any single host starts; a typing error, most likely. */
    static final int RANK_LIMIT = 1024;

    /** How long ranks wait for each other when they join. */
    static final Duration DEFAULT_START_TIMEOUT = Duration.ofSeconds(30);

    /** What joins longer than this is not worth waiting for. */
    static final Duration LONGEST_START_TIMEOUT = Duration.ofDays(365);

    /** How long ranks have between TERM and KILL. */
    static final Duration DEFAULT_KILL_GRACE = Duration.ofSeconds(5);

    /** As {@link #withInput}: no rank reads anything. */
    static final int NO_RANK = -1;

    private final List<Part> parts;
    private final int rankCount;
    private Path jobParent = jobParentOfThisProcess();
    private Java java = Java.own();
    private OutputPlan output = OutputPlan.PLAIN;
    private Binding binding = Binding.NONE;
    private int inputRank;
    private boolean threaded;
    private boolean kept;
    private boolean joining;
    private boolean stackTraces;
    private @Nullable Path recordings;
    private @Nullable Duration timeout;
    private Duration startTimeout = DEFAULT_START_TIMEOUT;
    private Duration killGrace = DEFAULT_KILL_GRACE;
    private MessageLimits messageLimits = MessageLimits.DEFAULT;

    private LaunchPlan(List<Part> parts, int rankCount) {
        this.parts = List.copyOf(parts);
        this.rankCount = rankCount;
    }

    /**
     * A plan for all ranks of {@code parts} on this host, from 1 to {@link #RANK_LIMIT}, in their order.
     *
     * @throws IllegalArgumentException when a count is out of range.
     */
    static LaunchPlan of(List<Part> parts) {
        int count = 0;
        for (final Part part : parts) {
            if (part.rankCount() < 1 || part.rankCount() > RANK_LIMIT) {
                throw new IllegalArgumentException("-n must be from 1 to " + RANK_LIMIT + ": " + part.rankCount());
            }
            count += part.rankCount();
        }
        if (count > RANK_LIMIT) {
            throw new IllegalArgumentException("a job has at most " + RANK_LIMIT + " ranks: " + count);
        }
        return new LaunchPlan(parts, count);
    }

    /** The parent of job directories; default: what {@code segno.dir} or {@code SEGNO_DIR} say, else /dev/shm. */
    LaunchPlan withJobParent(Path jobParent) {
        final LaunchPlan copy = copy();
        copy.jobParent = jobParent.toAbsolutePath().normalize();
        return copy;
    }

    /** What Java programs run on; default: this command's own. */
    LaunchPlan withJava(Java java) {
        final LaunchPlan copy = copy();
        copy.java = java;
        return copy;
    }

    /** Where output goes; default {@link OutputPlan#PLAIN}. */
    LaunchPlan withOutput(OutputPlan output) {
        final LaunchPlan copy = copy();
        copy.output = output;
        return copy;
    }

    /** What is bound to cores; default nothing. */
    LaunchPlan withBinding(Binding binding) {
        final LaunchPlan copy = copy();
        copy.binding = binding;
        return copy;
    }

    /**
     * The rank that reads standard input, {@link #NO_RANK} for none; default 0.
     *
     * @throws IllegalArgumentException when there is no such rank.
     */
    LaunchPlan withInput(int rank) {
        if (rank < NO_RANK || rank >= rankCount) {
            throw new IllegalArgumentException(
                    "--stdin must be none or a rank from 0 to " + (rankCount - 1) + ": " + rank);
        }
        final LaunchPlan copy = copy();
        copy.inputRank = rank;
        return copy;
    }

    /** All ranks are threads of one JVM; default: a process for each. */
    LaunchPlan withThreads(boolean threaded) {
        final LaunchPlan copy = copy();
        copy.threaded = threaded;
        return copy;
    }

    /** Leave the job's directory when the job has ended. */
    LaunchPlan withKept(boolean kept) {
        final LaunchPlan copy = copy();
        copy.kept = kept;
        return copy;
    }

    /** Every rank joins the job, so that room for their nodes is needed; default: they may be any program. */
    LaunchPlan withJoining(boolean joining) {
        final LaunchPlan copy = copy();
        copy.joining = joining;
        return copy;
    }

    /** Ask for thread dumps before the job is ended for its timeout. */
    LaunchPlan withStackTraces(boolean stackTraces) {
        final LaunchPlan copy = copy();
        copy.stackTraces = stackTraces;
        return copy;
    }

    /** The directory for one flight recording per rank, null for none. */
    LaunchPlan withRecordings(@Nullable Path recordings) {
        final LaunchPlan copy = copy();
        copy.recordings = recordings;
        return copy;
    }

    /** End the job after this time, null for never; so is zero, as for {@code timeout(1)}. */
    LaunchPlan withTimeout(@Nullable Duration timeout) {
        final LaunchPlan copy = copy();
        copy.timeout = timeout == null || timeout.isZero() ? null : timeout;
        return copy;
    }

    /**
     * How long ranks wait for each other when they join; default {@link #DEFAULT_START_TIMEOUT}.
     *
     * @throws IllegalArgumentException when the time is not above zero, or longer than {@link #LONGEST_START_TIMEOUT}.
     */
    LaunchPlan withStartTimeout(Duration startTimeout) {
        if (startTimeout.isZero() || startTimeout.compareTo(LONGEST_START_TIMEOUT) > 0) {
            throw new IllegalArgumentException("--start-timeout must be above zero and at most "
                    + JobEnvironment.format(LONGEST_START_TIMEOUT) + ": " + JobEnvironment.format(startTimeout));
        }
        final LaunchPlan copy = copy();
        copy.startTimeout = startTimeout;
        return copy;
    }

    /** How long ranks have between TERM and KILL; default {@link #DEFAULT_KILL_GRACE}. */
    LaunchPlan withKillGrace(Duration killGrace) {
        final LaunchPlan copy = copy();
        copy.killGrace = killGrace;
        return copy;
    }

    /** Up to which length the ranks' messages travel how, where neither {@code -x} nor the program says; default that of the engine. */
    LaunchPlan withMessageLimits(MessageLimits messageLimits) {
        final LaunchPlan copy = copy();
        copy.messageLimits = messageLimits;
        return copy;
    }

    private static Path jobParentOfThisProcess() {
        return JobOptions.parent().toAbsolutePath().normalize();
    }

    private LaunchPlan copy() {
        final LaunchPlan copy = new LaunchPlan(parts, rankCount);
        copy.jobParent = jobParent;
        copy.java = java;
        copy.output = output;
        copy.binding = binding;
        copy.inputRank = inputRank;
        copy.threaded = threaded;
        copy.kept = kept;
        copy.joining = joining;
        copy.stackTraces = stackTraces;
        copy.recordings = recordings;
        copy.timeout = timeout;
        copy.startTimeout = startTimeout;
        copy.killGrace = killGrace;
        copy.messageLimits = messageLimits;
        return copy;
    }

    List<Part> parts() {
        return parts;
    }

    int rankCount() {
        return rankCount;
    }

    /** Processes that are started for the ranks. */
    int processCount() {
        return threaded ? 1 : rankCount;
    }

    /** The part that a rank belongs to, as its place among {@link #parts}. */
    int partOf(int rank) {
        int next = parts.get(0).rankCount();
        int part = 0;
        while (rank >= next) {
            part++;
            next += parts.get(part).rankCount();
        }
        return part;
    }

    String jobName() {
        return parts.get(0).program().jobName();
    }

    Path jobParent() {
        return jobParent;
    }

    Java java() {
        return java;
    }

    OutputPlan output() {
        return output;
    }

    Binding binding() {
        return binding;
    }

    int inputRank() {
        return inputRank;
    }

    boolean threaded() {
        return threaded;
    }

    boolean kept() {
        return kept;
    }

    boolean joining() {
        return joining;
    }

    boolean stackTraces() {
        return stackTraces;
    }

    @Nullable
    Path recordings() {
        return recordings;
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

    MessageLimits messageLimits() {
        return messageLimits;
    }
}
