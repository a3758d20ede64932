package org.segno.tools.run.plan;

import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.segno.node.JobEnvironment;
import org.segno.node.NodeSetting;
import org.segno.operation.MessageLimits;
import org.segno.tools.observe.JobOptions;
import org.segno.tools.program.Java;

/**
 * The programs that the launcher starts, with all settings of the job. Immutable: each {@code with} method returns a
 * changed copy.
 *
 * <p>The launcher forwards the output of several ranks by whole lines. A single rank inherits the launcher's standard
 * output and error, so that its output is the command's data, byte for byte. One rank reads the launcher's standard
 * input; the input of the others is empty.
 */
public final class LaunchPlan implements Cloneable {
    /** The largest number of ranks. A larger one is most likely a typing error. */
    public static final int RANK_LIMIT = 1024;

    /** Default of the time that ranks wait for each other when they join. */
    public static final Duration DEFAULT_START_TIMEOUT = Duration.ofSeconds(30);

    /** The longest start timeout. A join that takes longer is not worth the wait. */
    static final Duration LONGEST_START_TIMEOUT = Duration.ofDays(365);

    /** Default of the time between TERM and KILL. */
    public static final Duration DEFAULT_KILL_GRACE = Duration.ofSeconds(5);

    /** Default of the words that start a command on another host. */
    public static final List<String> DEFAULT_REMOTE_SHELL = List.of("ssh");

    /** Argument of {@link #withInput}: no rank reads standard input. */
    public static final int NO_RANK = -1;

    private final List<JobPart> parts;
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
    private boolean goingOn;
    private @Nullable Path recordings;
    private @Nullable JournalPlan journal;
    private @Nullable Duration timeout;
    private Duration startTimeout = DEFAULT_START_TIMEOUT;
    private Duration killGrace = DEFAULT_KILL_GRACE;
    private MessageLimits messageLimits = MessageLimits.DEFAULT;
    private Map<NodeSetting, String> nodeSettings = Map.of();
    private HostMap hosts;
    private List<String> remoteShell = DEFAULT_REMOTE_SHELL;
    private Network network = Network.DEFAULT;
    private boolean oversubscriptionRefused;
    private boolean bindingsReported;

    private LaunchPlan(List<JobPart> parts, int rankCount) {
        this.parts = List.copyOf(parts);
        this.rankCount = rankCount;
        this.hosts = HostMap.ofThisHost(rankCount);
    }

    /**
     * Returns a plan for all ranks of {@code parts}, in the order of the parts. Each part and the whole
     * plan have 1 to {@link #RANK_LIMIT} ranks.
     *
     * @throws IllegalArgumentException if a count is out of range.
     */
    public static LaunchPlan of(List<JobPart> parts) {
        int count = 0;
        for (final JobPart part : parts) {
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

    /**
     * Returns a copy with a parent of job directories. The default is the property {@code segno.dir}, else the variable
     * {@code SEGNO_DIR}, else /dev/shm.
     */
    public LaunchPlan withJobParent(Path jobParent) {
        return with(copy -> copy.jobParent = jobParent.toAbsolutePath().normalize());
    }

    /** Returns a copy with the Java installation that runs Java programs; default: the one that runs this command. */
    public LaunchPlan withJava(Java java) {
        return with(copy -> copy.java = java);
    }

    /** Returns a copy with the destinations of the ranks' output; default {@link OutputPlan#PLAIN}. */
    public LaunchPlan withOutput(OutputPlan output) {
        return with(copy -> copy.output = output);
    }

    /** Returns a copy with a binding to cores; default {@link Binding#NONE}. */
    public LaunchPlan withBinding(Binding binding) {
        return with(copy -> copy.binding = binding);
    }

    /**
     * Returns a copy with the rank that reads standard input, {@link #NO_RANK} for none; default 0.
     *
     * @throws IllegalArgumentException if there is no such rank.
     */
    public LaunchPlan withInput(int rank) {
        if (rank < NO_RANK || rank >= rankCount) {
            throw new IllegalArgumentException(
                    "--stdin must be none or a rank from 0 to " + (rankCount - 1) + ": " + rank);
        }
        return with(copy -> copy.inputRank = rank);
    }

    /** Returns a copy that runs all ranks as threads of one JVM if {@code threaded}; default: one process per rank. */
    public LaunchPlan withThreads(boolean threaded) {
        return with(copy -> copy.threaded = threaded);
    }

    /** Returns a copy that keeps the job's directory after the job has ended, if {@code kept}; default false. */
    public LaunchPlan withKept(boolean kept) {
        return with(copy -> copy.kept = kept);
    }

    /**
     * Returns a copy that requires room for the nodes of all ranks if {@code joining}, which means that every rank
     * joins the job; default: a rank may be any program.
     */
    public LaunchPlan withJoining(boolean joining) {
        return with(copy -> copy.joining = joining);
    }

    /** Returns a copy in which the other ranks go on after one has failed, if {@code goingOn}. */
    public LaunchPlan withGoingOn(boolean goingOn) {
        return with(copy -> copy.goingOn = goingOn);
    }

    /** Returns a copy that requests thread dumps before the timeout ends the job, if {@code stackTraces}. */
    public LaunchPlan withStackTraces(boolean stackTraces) {
        return with(copy -> copy.stackTraces = stackTraces);
    }

    /** Returns a copy with the directory for one flight recording per rank, null for none. */
    public LaunchPlan withRecordings(@Nullable Path recordings) {
        return with(copy -> copy.recordings = recordings);
    }

    /** Returns a copy with the plan of a journal, null for none. */
    public LaunchPlan withJournal(@Nullable JournalPlan journal) {
        return with(copy -> copy.journal = journal);
    }

    /** Returns a copy that ends the job after this time. Null and zero mean never, as for {@code timeout(1)}. */
    public LaunchPlan withTimeout(@Nullable Duration timeout) {
        return with(copy -> copy.timeout = timeout == null || timeout.isZero() ? null : timeout);
    }

    /**
     * Returns a copy with the time that ranks wait for each other when they join; default {@link
     * #DEFAULT_START_TIMEOUT}.
     *
     * @throws IllegalArgumentException if the time is not above zero, or longer than {@link #LONGEST_START_TIMEOUT}.
     */
    public LaunchPlan withStartTimeout(Duration startTimeout) {
        if (startTimeout.isZero() || startTimeout.compareTo(LONGEST_START_TIMEOUT) > 0) {
            throw new IllegalArgumentException("--start-timeout must be above zero and at most "
                    + JobEnvironment.format(LONGEST_START_TIMEOUT) + ": " + JobEnvironment.format(startTimeout));
        }
        return with(copy -> copy.startTimeout = startTimeout);
    }

    /** Returns a copy with the time between TERM and KILL; default {@link #DEFAULT_KILL_GRACE}. */
    public LaunchPlan withKillGrace(Duration killGrace) {
        return with(copy -> copy.killGrace = killGrace);
    }

    /**
     * Returns a copy with the limits of immediate and eager messages for ranks where neither {@code -x} nor the program
     * sets them; default: the engine's limits.
     */
    public LaunchPlan withMessageLimits(MessageLimits messageLimits) {
        return with(copy -> copy.messageLimits = messageLimits);
    }

    /**
     * Returns a copy with settings of the ranks' nodes, where neither {@code -x} nor the program makes them; default:
     * none. They are checked already.
     */
    public LaunchPlan withNodeSettings(Map<NodeSetting, String> nodeSettings) {
        return with(copy -> copy.nodeSettings = Map.copyOf(nodeSettings));
    }

    /** Returns a copy with the host of each rank; default: this host for all. */
    public LaunchPlan withHosts(HostMap hosts) {
        return with(copy -> copy.hosts = hosts);
    }

    /** Returns a copy with the words that start a command on another host; the name of the host follows them. */
    public LaunchPlan withRemoteShell(List<String> remoteShell) {
        return with(copy -> copy.remoteShell = List.copyOf(remoteShell));
    }

    /** Returns a copy with the addresses that hosts use; default: all networks and any port. */
    public LaunchPlan withNetwork(Network network) {
        return with(copy -> copy.network = network);
    }

    /** Returns a copy that refuses more ranks than cores on any host, if {@code refused}; default false. */
    public LaunchPlan withOversubscriptionRefused(boolean refused) {
        return with(copy -> copy.oversubscriptionRefused = refused);
    }

    /** Returns a copy for which other hosts report the core of each rank, if {@code reported}; default false. */
    public LaunchPlan withBindingsReported(boolean reported) {
        return with(copy -> copy.bindingsReported = reported);
    }

    private static Path jobParentOfThisProcess() {
        return JobOptions.parent().toAbsolutePath().normalize();
    }

    /**
     * Returns a copy with one change. The fields are the only list of the settings, because a clone has all of them.
     */
    private LaunchPlan with(Consumer<LaunchPlan> change) {
        try {
            final LaunchPlan copy = (LaunchPlan) clone();
            change.accept(copy);
            return copy;
        } catch (final CloneNotSupportedException e) {
            throw new AssertionError(e);
        }
    }

    public List<JobPart> parts() {
        return parts;
    }

    public int rankCount() {
        return rankCount;
    }

    /** Returns the number of processes that are started for the ranks. */
    public int processCount() {
        return threaded ? 1 : rankCount;
    }

    /** Returns the index in {@link #parts} of the part that a rank belongs to. */
    public int partOf(int rank) {
        int next = parts.get(0).rankCount();
        int part = 0;
        while (rank >= next) {
            part++;
            next += parts.get(part).rankCount();
        }
        return part;
    }

    public String jobName() {
        return parts.get(0).program().jobName();
    }

    public Path jobParent() {
        return jobParent;
    }

    public Java java() {
        return java;
    }

    public OutputPlan output() {
        return output;
    }

    /**
     * Returns whether the launcher reads the ranks' output and forwards whole lines. A single rank on this host without
     * a wish for its output inherits the launcher's own streams.
     */
    public boolean captured() {
        return output.captured() || rankCount > 1 || hosts.isRemote();
    }

    public HostMap hosts() {
        return hosts;
    }

    public List<String> remoteShell() {
        return remoteShell;
    }

    public Network network() {
        return network;
    }

    public boolean oversubscriptionRefused() {
        return oversubscriptionRefused;
    }

    public boolean bindingsReported() {
        return bindingsReported;
    }

    public Binding binding() {
        return binding;
    }

    public int inputRank() {
        return inputRank;
    }

    public boolean threaded() {
        return threaded;
    }

    public boolean kept() {
        return kept;
    }

    public boolean joining() {
        return joining;
    }

    public boolean isGoingOn() {
        return goingOn;
    }

    public boolean stackTraces() {
        return stackTraces;
    }

    @Nullable
    public Path recordings() {
        return recordings;
    }

    @Nullable
    public JournalPlan journal() {
        return journal;
    }

    @Nullable
    public Duration timeout() {
        return timeout;
    }

    public Duration startTimeout() {
        return startTimeout;
    }

    public Duration killGrace() {
        return killGrace;
    }

    public MessageLimits messageLimits() {
        return messageLimits;
    }

    public Map<NodeSetting, String> nodeSettings() {
        return nodeSettings;
    }

    /** Returns the value of a setting of the ranks' nodes, null if the plan does not make it. */
    public @Nullable String nodeSetting(NodeSetting setting) {
        return nodeSettings.get(setting);
    }
}
