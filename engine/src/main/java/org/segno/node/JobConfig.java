package org.segno.node;

import java.net.InetSocketAddress;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.OptionalInt;
import org.jspecify.annotations.Nullable;
import org.segno.engine.job.HubNetwork;
import org.segno.engine.job.HubSettings;
import org.segno.engine.job.JobId;
import org.segno.engine.job.JobSettings;
import org.segno.engine.job.JobVariables;
import org.segno.status.SegnoException;

/**
 * Configuration of a node's place in a job: the job, and the rank of the node. Immutable; every {@code with} method
 * returns a changed copy.
 *
 * <p>{@link #fromEnvironment()} reads the variables that {@code segno run} sets. A library user sets the same variables
 * or the properties of the same names ({@code segno.local-rank} for {@code SEGNO_LOCAL_RANK}; a property overrides its
 * variable), or calls {@link #of}. Without {@code SEGNO_RANK}, the variables of {@code mpirun}, {@code mpiexec} or
 * {@code srun} apply; the guide lists them. If they name no job, {@code
 * SEGNO_JOB} must name it.
 */
public final class JobConfig {
    private static final Path DEFAULT_DIRECTORY = Path.of("/dev/shm");
    private static final Duration DEFAULT_JOIN_TIMEOUT = Duration.ofSeconds(30);
    private static final Duration LEAST_SILENCE = Duration.ofMillis(250);
    private static final Duration LONGEST_JOIN_TIMEOUT = Duration.ofDays(365);

    private final String jobName;
    private final Place place;
    private final Terms terms;

    private JobConfig(String jobName, Place place, Terms terms) {
        this.jobName = jobName;
        this.place = place;
        this.terms = terms;
    }

    /**
     * Returns the configuration of one rank of a job whose ranks are all on this host, with 30 s to join and /dev/shm
     * as the parent directory.
     *
     * @param jobName the job's name, the same for all its ranks and for no other running job of this user
     * @param rank from 0
     * @param size number of ranks in the job
     * @throws IllegalArgumentException if the rank is not below the size, or the name contains invalid letters
     */
    public static JobConfig of(String jobName, int rank, int size) {
        if (!jobName.matches("[A-Za-z0-9._-]+")) {
            throw new IllegalArgumentException(
                    "a job's name is made of letters, digits, dots, underscores and hyphens, set " + JobVariables.JOB
                            + ": '" + jobName + "'");
        }
        return new JobConfig(jobName, new Place(rank, size, rank, size), Terms.DEFAULT);
    }

    /** Returns a name that no other job has, with the given beginning. */
    public static String uniqueName(String beginning) {
        Objects.requireNonNull(beginning, "beginning");
        return JobId.uniqueName(beginning);
    }

    /** Returns the configuration of a job of one rank, under a name that no other job has. */
    public static JobConfig alone() {
        return of(JobId.uniqueName("alone"), 0, 1);
    }

    /**
     * Reads the variables of this process, and the properties that override them.
     *
     * @return the configuration; one rank alone if rank, size and job are not given
     * @throws SegnoException if some are missing or malformed, or two launchers disagree; the message names each
     */
    public static JobConfig fromEnvironment() {
        return fromEnvironment(JobEnvironment.ofThisProcess());
    }

    /**
     * Reads the given variables.
     *
     * @param environment variables by name; those that are not of {@link JobEnvironment} are ignored
     * @return the configuration; one rank alone if rank, size and job are not given
     * @throws SegnoException if some are missing or malformed, or two launchers disagree; the message names each
     */
    public static JobConfig fromEnvironment(Map<String, String> environment) {
        Objects.requireNonNull(environment, "environment");
        return JobEnvironment.read(environment);
    }

    /** Returns a new map of the variables that {@link #fromEnvironment(Map)} reads and a launcher sets, by name. */
    public Map<String, String> toEnvironment() {
        return JobEnvironment.write(this);
    }

    /**
     * Sets another rank of the same job; its local rank is the rank.
     *
     * @param rank from 0
     * @return the changed copy
     * @throws IllegalArgumentException if the rank is not below the size
     */
    public JobConfig withRank(int rank) {
        return new JobConfig(jobName, new Place(rank, place.size, rank, place.size), terms);
    }

    /**
     * Sets the place of the rank on its host, for a job that is spread over several hosts.
     *
     * @param localRank from 0, among the ranks of this host
     * @param localSize number of ranks on this host
     * @return the changed copy
     * @throws IllegalArgumentException if the local rank is not below the local size, or that is above the size
     */
    public JobConfig withLocal(int localRank, int localSize) {
        return new JobConfig(jobName, new Place(place.rank, place.size, localRank, localSize), terms);
    }

    /**
     * Sets the parent of job directories: a tmpfs, if messages must stay in memory.
     *
     * @param parent an existing directory in which this user may write
     * @return the changed copy
     */
    public JobConfig withDirectory(Path parent) {
        final Path absolute = parent.toAbsolutePath().normalize();
        return with(new Terms(absolute, terms.joinTimeout, terms.keep, terms.launched, terms.engineCore, terms.hosts));
    }

    /**
     * Sets the time after which joining fails and names the missing ranks.
     *
     * @param timeout above zero, at most a year
     * @return the changed copy
     * @throws IllegalArgumentException if the timeout is out of range
     */
    public JobConfig withJoinTimeout(Duration timeout) {
        if (timeout.isNegative() || timeout.isZero() || timeout.compareTo(LONGEST_JOIN_TIMEOUT) > 0) {
            throw new IllegalArgumentException("the time to join must be above zero and at most a year, set "
                    + JobVariables.START_TIMEOUT + ": " + timeout);
        }
        return with(new Terms(terms.directory, timeout, terms.keep, terms.launched, terms.engineCore, terms.hosts));
    }

    /**
     * Sets whether the job directory stays after all ranks have joined, for {@code segno inspect}. The setting of the
     * directory's creator applies: the launcher, or the first rank of the host.
     *
     * @param keeps true to keep it
     * @return the changed copy
     */
    public JobConfig withKeep(boolean keeps) {
        return with(
                new Terms(terms.directory, terms.joinTimeout, keeps, terms.launched, terms.engineCore, terms.hosts));
    }

    /**
     * Sets whether a launcher has created the job's directory and is its hub, as {@code segno run} does. No rank then
     * becomes the hub, and a process that finds the launcher gone ends, also before it has joined.
     *
     * @param starts true if the rank was started by such a launcher
     * @return the changed copy
     */
    public JobConfig withLaunched(boolean starts) {
        return with(new Terms(terms.directory, terms.joinTimeout, terms.keep, starts, terms.engineCore, terms.hosts));
    }

    /**
     * Binds the thread of this rank's engine to a core, if the engine has a thread. Needs the program {@code taskset}.
     * A failed binding is logged, and the scheduler then chooses the core.
     *
     * @param core its number, as the system counts cores from 0
     * @return the changed copy
     * @throws IllegalArgumentException if the number is below zero
     */
    public JobConfig withEngineCore(int core) {
        if (core < 0) {
            throw new IllegalArgumentException(
                    "core must not be negative: core=" + core + "; unset " + JobVariables.ENGINE_CORE + " for none");
        }
        return with(new Terms(
                terms.directory, terms.joinTimeout, terms.keep, terms.launched, OptionalInt.of(core), terms.hosts));
    }

    /**
     * Sets where the ranks of several hosts find each other, if no launcher has started them: the process of rank 0
     * listens at this address, and the process of the first rank of each other host connects to it. Each rank needs its
     * place on its host, too ({@link #withLocal}).
     *
     * @param hub address of rank 0's host and a free TCP port
     * @param secretFile file of this user alone (mode 0600) with the job's secret, 64 hexadecimal digits, the same on
     *     all hosts
     * @return the changed copy
     */
    public JobConfig withHub(InetSocketAddress hub, Path secretFile) {
        Objects.requireNonNull(hub, "hub");
        Objects.requireNonNull(secretFile, "secretFile");
        return with(terms.with(new Hosts(
                hub, secretFile.toAbsolutePath().normalize(), terms.hosts().silence())));
    }

    /**
     * Sets the time after which a host that gives no sign of life is dead, with its ranks.
     *
     * @param silence from 250 ms
     * @return the changed copy
     * @throws IllegalArgumentException if the time is too short
     */
    public JobConfig withSilence(Duration silence) {
        Objects.requireNonNull(silence, "silence");
        if (silence.compareTo(LEAST_SILENCE) < 0) {
            throw new IllegalArgumentException("the time of silence must be at least " + LEAST_SILENCE.toMillis()
                    + " ms, set " + JobVariables.SILENCE + ": " + silence);
        }
        final Hosts hosts = terms.hosts();
        return with(terms.with(new Hosts(hosts.hub(), hosts.secretFile(), silence)));
    }

    private JobConfig with(Terms changed) {
        return new JobConfig(jobName, place, changed);
    }

    /** Returns the job's name, as given. */
    public String jobName() {
        return jobName;
    }

    /** Returns this rank, from 0. */
    public int rank() {
        return place.rank;
    }

    /** Returns the number of ranks in the job. */
    public int size() {
        return place.size;
    }

    /** Returns this rank among those of its host. */
    public int localRank() {
        return place.localRank;
    }

    /** Returns the number of ranks on this host. */
    public int localSize() {
        return place.localSize;
    }

    /** Returns the parent of job directories, as an absolute path. */
    public Path directory() {
        return terms.directory;
    }

    /** Returns the time after which joining fails. */
    public Duration joinTimeout() {
        return terms.joinTimeout;
    }

    /** Returns whether the job directory stays. */
    public boolean keep() {
        return terms.keep;
    }

    /** Returns whether a launcher is the hub, and not rank 0. */
    public boolean launched() {
        return terms.launched;
    }

    /** Returns the core that the engine's thread is bound to; empty for none. */
    public OptionalInt engineCore() {
        return terms.engineCore;
    }

    /** Returns the address of the job's hub for ranks of several hosts; empty for one host, or with a launcher. */
    public Optional<InetSocketAddress> hub() {
        return Optional.ofNullable(terms.hosts.hub);
    }

    /** Returns the file with the job's secret, if {@link #withHub} has set it. */
    public Optional<Path> secretFile() {
        return Optional.ofNullable(terms.hosts.secretFile);
    }

    /** Returns the time after which a silent host is dead. */
    public Duration silence() {
        return terms.hosts.silence;
    }

    /** Less than the rank waits for its join: its user then reads the address that was tried, and what failed there. */
    private Duration hubTimeout() {
        return terms.joinTimeout.multipliedBy(9).dividedBy(10);
    }

    /** Returns what the job's directory and its membership need. */
    JobSettings settings() {
        final InetSocketAddress hub = terms.hosts.hub;
        final Path secretFile = terms.hosts.secretFile;
        final HubSettings call = hub == null || secretFile == null || terms.launched || place.localRank != 0
                ? null
                : new HubSettings(hub, secretFile, terms.hosts.silence, hubTimeout());
        return new JobSettings(jobName, place.rank, place.size, terms.directory, terms.keep, terms.launched, call);
    }

    @Override
    public String toString() {
        return "rank " + place.rank + " of " + place.size + " in job " + jobName + " under " + terms.directory;
    }

    private record Terms(
            Path directory, Duration joinTimeout, boolean keep, boolean launched, OptionalInt engineCore, Hosts hosts) {
        static final Terms DEFAULT =
                new Terms(DEFAULT_DIRECTORY, DEFAULT_JOIN_TIMEOUT, false, false, OptionalInt.empty(), Hosts.ONE);

        Terms with(Hosts changed) {
            return new Terms(directory, joinTimeout, keep, launched, engineCore, changed);
        }
    }

    /** What the ranks of several hosts need to find each other. */
    private record Hosts(
            @Nullable InetSocketAddress hub, @Nullable Path secretFile, Duration silence) {
        static final Hosts ONE = new Hosts(null, null, HubNetwork.DEFAULT_SILENCE);
    }

    private record Place(int rank, int size, int localRank, int localSize) {
        private Place {
            check("rank", rank, "size", size);
            check("local rank", localRank, "local size", localSize);
            if (localSize > size) {
                throw new IllegalArgumentException(
                        "a host has no more ranks than the job: local size " + localSize + ", size " + size);
            }
        }

        private static void check(String rankName, int rank, String sizeName, int size) {
            if (rank < 0 || rank >= size) {
                throw new IllegalArgumentException(rankName + " must be 0 or more and below the " + sizeName + ": "
                        + rankName + "=" + rank + ", " + sizeName + "=" + size);
            }
        }
    }
}
