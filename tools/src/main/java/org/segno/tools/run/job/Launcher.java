package org.segno.tools.run.job;

import java.net.InetSocketAddress;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.stream.IntStream;
import org.segno.engine.job.HubNetwork;
import org.segno.engine.job.JobSecret;
import org.segno.node.Idling;
import org.segno.node.JobConfig;
import org.segno.node.JobEnvironment;
import org.segno.node.NodeSetting;
import org.segno.tools.command.CommandException;
import org.segno.tools.command.Console;
import org.segno.tools.command.ExitCode;
import org.segno.tools.command.StandardOutput;
import org.segno.tools.output.Quantity;
import org.segno.tools.process.HostName;
import org.segno.tools.process.ParentDeathSignal;
import org.segno.tools.process.Signals;
import org.segno.tools.program.Program;
import org.segno.tools.program.SourceFile;
import org.segno.tools.run.channel.HostSpec;
import org.segno.tools.run.plan.Binding;
import org.segno.tools.run.plan.Executable;
import org.segno.tools.run.plan.HostRanks;
import org.segno.tools.run.plan.JobRoom;
import org.segno.tools.run.plan.LaunchPlan;
import org.segno.tools.run.plan.Placement;
import org.segno.tools.run.plan.RankCommands;
import org.segno.tools.run.process.Event;
import org.segno.tools.run.process.LocalRanks;
import org.segno.tools.run.process.ProcessStreams;
import org.segno.tools.run.process.Rank;
import org.segno.tools.run.process.RankExit;
import org.segno.tools.run.process.RankOutputs;
import org.segno.tools.run.process.RankProcess;
import org.segno.tools.run.process.RankSocket;
import org.segno.tools.run.remote.RemoteHosts;

/**
 * The launcher of a job: creates the job's directory, runs its hub, starts the ranks here and the agents of other
 * hosts, forwards signals, and returns the job's exit code.
 *
 * <p>The calling thread does all of this. It must live as long as the process, as the main thread does, because the
 * kernel ties the ranks' lives to it. A process launches one job at a time, because signals belong to the process.
 */
public final class Launcher {
    /** The largest number of events of one rank: joined, dead, failed and exited, once each. */
    private static final int EVENTS_PER_RANK = 4;

    /** The largest number of events of a host: ready, failed and ended, once each. */
    private static final int EVENTS_PER_HOST = 3;

    /**
     * Room for signals and lost output. Only a flood of them arrives faster than the launcher handles them; events
     * beyond this limit are dropped.
     */
    private static final int EVENTS_OF_JOB = 1 << 16;

    private final LaunchPlan plan;
    private final LocalRanks local;
    private final Console console;
    private final long startNs = System.nanoTime();
    private final BlockingQueue<Event> events;
    private final List<Rank> ranks = new ArrayList<>();

    private Launcher(LaunchPlan plan, LocalRanks local, Console console) {
        this.plan = plan;
        this.local = local;
        this.console = console;
        this.events = new LinkedBlockingQueue<>(EVENTS_OF_JOB
                + EVENTS_PER_RANK * plan.rankCount()
                + EVENTS_PER_HOST * plan.hosts().remote().size());
    }

    /**
     * Runs {@code plan} to its end and returns the exit code of the contract: 0, the status of the rank that failed
     * first, 124 for the timeout, 128+n for a signal. The job leaves nothing behind: no process, and no directory
     * unless the plan keeps it.
     *
     * @throws CommandException if the job cannot start: program not found (127), program not executable (126),
     *     directory not fit, no room, limit of open files too low, source that does not compile, or another host not
     *     fit (3).
     * @throws org.segno.status.SegnoException if the job's directory cannot be created.
     * @throws InterruptedException if the calling thread is interrupted; the ranks are killed.
     */
    public static int run(LaunchPlan plan, Console console) throws InterruptedException {
        final LocalRanks local = LocalRanks.of(plan, plan.hosts().here());
        local.check(plan.hosts().remote().size());
        checkRemoteShell(plan);
        return new Launcher(plan, local, console).run();
    }

    private static void checkRemoteShell(LaunchPlan plan) {
        final String shell = plan.remoteShell().get(0);
        if (plan.hosts().isRemote() && shell.indexOf('/') < 0) {
            Executable.require(
                    shell,
                    "no program " + shell + " to start ranks on host "
                            + plan.hosts().remote().get(0).name() + ": install it, or name another one with --rsh",
                    System.getenv().getOrDefault("PATH", ""));
        }
    }

    /**
     * Returns the commands that {@link #run} would start, one line per process, in shell syntax: directory, variables,
     * words. Ranks that are started by hand have no launcher, and rank 0 runs the hub.
     */
    public static List<String> describe(LaunchPlan plan) {
        final String jobName = JobConfig.uniqueName(plan.jobName());
        final List<Program> programs = plan.parts().stream()
                .map(part -> plan.threaded() ? part.program().threaded(part.directory()) : part.program())
                .toList();
        final Map<Integer, String> lines = new TreeMap<>();
        for (final HostRanks host : plan.hosts().hosts()) {
            // The agent of another host chooses the cores there.
            final LocalRanks there = LocalRanks.of(host.isThisHost() ? plan : plan.withBinding(Binding.NONE), host);
            final JobConfig config = there.config(nameOn(plan, host, jobName));
            final RankCommands commands = there.commands(programs, config, List.of());
            there.processes().forEach(rank -> lines.put(rank, commands.describe(rank)));
        }
        return List.copyOf(lines.values());
    }

    /**
     * Returns the binding of each rank, one line per rank.
     *
     * @param places true to include each rank's host, slot and program
     */
    public static List<String> map(LaunchPlan plan, boolean places) {
        final LocalRanks local = LocalRanks.of(plan, plan.hosts().here());
        return IntStream.range(0, plan.rankCount())
                .mapToObj(rank -> {
                    final HostRanks host = plan.hosts().of(rank);
                    final String place = (host.isThisHost() ? "this host" : "host " + host.name()) + ", slot "
                            + host.localRank(rank) + " · " + programOf(plan, rank) + " · ";
                    return "rank " + rank + (places ? " · " + place : " ")
                            + (host.isThisHost() ? local.binding(rank) : remoteBinding(plan));
                })
                .toList();
    }

    private static String remoteBinding(LaunchPlan plan) {
        return plan.binding() == Binding.NONE
                ? "not bound"
                : "bound by its host (--bind-to " + Placement.name(plan.binding()) + ")";
    }

    private static String programOf(LaunchPlan plan, int rank) {
        return plan.parts().get(plan.partOf(rank)).program().jobName();
    }

    /**
     * Returns the name of the job on a host. The name on another host has the host's number before the digits, so that
     * hosts that share a file system have directories of their own.
     */
    private static String nameOn(LaunchPlan plan, HostRanks host, String jobName) {
        if (host.isThisHost()) {
            return jobName;
        }
        final int digits = jobName.lastIndexOf('-');
        return jobName.substring(0, digits) + "-h" + plan.hosts().hosts().indexOf(host) + jobName.substring(digits);
    }

    private int run() throws InterruptedException {
        // Signals first: one that arrives during compilation or the creation of the job ends the job in order.
        final Signals signals = Signals.install(
                number -> offer(Event.of(Event.Kind.END, number)), () -> offer(Event.of(Event.Kind.DUMP, 0)), console);
        final List<SourceFile> sources = new ArrayList<>();
        try (signals) {
            return run(local.compiled(sources));
        } finally {
            sources.forEach(SourceFile::close);
        }
    }

    private int run(List<Program> programs) throws InterruptedException {
        for (final Event event : events) {
            if (event.kind() == Event.Kind.END) {
                return endedBefore(event.subject());
            }
        }
        final JobConfig config =
                local.config(JobConfig.uniqueName(plan.jobName())).withLaunched(true);
        final String directory;
        final String summary;
        final int exitCode;
        final JobSecret secret = JobSecret.random();
        try (RankOutputs outputs = outputs(config.jobName());
                Job job = open(config, secret);
                RemoteHosts hosts = start(job, config, secret, outputs)) {
            directory = job.directory().toString();
            sayStart(config);
            final int signal = hosts.awaitReady(startNs);
            if (signal != 0) {
                return endedBefore(signal);
            }
            final Supervision supervision = new Supervision(plan, ranks, hosts, events, console, startNs);
            try {
                exitCode = supervise(programs, config, outputs, new Running(hosts, supervision));
            } finally {
                ranks.forEach(Rank::killIfAlive);
            }
            summary = supervision.summary();
        }
        console.message(exitCode == 0 && !plan.kept() ? summary : summary + " · " + left(directory));
        return exitCode;
    }

    private String left(String directory) {
        if (!plan.kept()) {
            return "job directory removed (--keep to inspect)";
        }
        // The agents have printed the directories of their hosts.
        return local.isDirectoryKept() ? "job directory kept: " + directory : "job directories kept on the hosts";
    }

    private int endedBefore(int signal) {
        console.message("ended by " + RankExit.signal(signal) + " before any rank was started");
        return ExitCode.SIGNALLED + signal;
    }

    private Job open(JobConfig config, JobSecret secret) {
        return plan.hosts().isRemote()
                ? Job.open(config, events, new HubNetwork(plan.network().listening(), secret, JobEnvironment.silence()))
                : Job.open(config, events);
    }

    private RemoteHosts start(Job job, JobConfig config, JobSecret secret, RankOutputs outputs) {
        final List<InetSocketAddress> addresses =
                plan.hosts().isRemote() ? plan.network().candidates(job.port()) : List.of();
        if (!addresses.isEmpty()) {
            console.detail("the hub of the job listens at " + addresses);
        }
        return RemoteHosts.start(
                plan,
                host -> new HostSpec(
                        nameOn(plan, host, config.jobName()), host, plan, addresses, secret, JobEnvironment.silence()),
                outputs,
                events,
                console);
    }

    /** The parts of a running job. */
    private record Running(RemoteHosts hosts, Supervision supervision) {}

    private int supervise(List<Program> programs, JobConfig config, RankOutputs outputs, Running job)
            throws InterruptedException {
        if (!plan.threaded()) {
            startRanks(local.commands(programs, config, List.of()), outputs, job.hosts);
            job.supervision.watch();
            job.hosts.finish();
        } else {
            try (RankSocket socket = RankSocket.open(outputs, this::offer)) {
                startRanks(local.commands(programs, config, socket.javaOptions(plan)), outputs, job.hosts);
                job.supervision.watch();
                socket.finish();
            }
        }
        outputs.finish();
        return job.supervision.finish();
    }

    private RankOutputs outputs(String jobName) {
        return new RankOutputs(
                plan.output(),
                plan.rankCount(),
                jobName,
                this::hostName,
                startNs,
                reason -> offer(Event.outputLost(StandardOutput.lost(reason))));
    }

    private String hostName(int rank) {
        final HostRanks host = plan.hosts().of(rank);
        return host.isThisHost() ? HostName.ofThisHost() : host.name();
    }

    /**
     * Adds an event that comes neither from the hub nor from the exit of a process. A full queue means a flood of such
     * events, of which it already holds more than the launcher needs.
     */
    private void offer(Event event) {
        final boolean taken = events.offer(event);
        assert taken || !events.isEmpty();
    }

    private void sayStart(JobConfig config) {
        final int cores = Runtime.getRuntime().availableProcessors();
        final int count = plan.hosts().here().size();
        final JobRoom room = local.room();
        final String transport = plan.nodeSetting(NodeSetting.TRANSPORT);
        if (plan.hosts().isRemote()) {
            console.message(String.format(
                    Locale.ROOT,
                    "job %s · %s on %s · %s",
                    shortName(config.jobName()),
                    Quantity.of(plan.rankCount(), "rank"),
                    hostCounts(),
                    transport == null ? "shm, aeron between hosts" : transport));
            return;
        }
        console.message(String.format(
                Locale.ROOT,
                "job %s · %s on %s%s · %s · %s and %s, of %s in %s%s",
                shortName(config.jobName()),
                Quantity.of(count, "rank"),
                Quantity.of(cores, "core"),
                count > cores ? oversubscribed() : "",
                transport == null ? "shm" : transport,
                Quantity.ofBytes(count * room.nodeBytes()),
                transport == null || transport.equals("shm") ? "windows" : "windows and links",
                Quantity.ofBytes(room.leftBytes()),
                room.parent(),
                room.isTooSmall() ? " (too little for ranks that join: set SEGNO_DIR to a larger directory)" : ""));
    }

    /** Returns the number of hosts and the ranks of each, as {@code 2 hosts (a 2, b 2)}. */
    private String hostCounts() {
        final List<HostRanks> hosts = plan.hosts().hosts();
        return Quantity.of(hosts.size(), "host") + " ("
                + String.join(
                        ", ",
                        hosts.stream()
                                .map(host -> host.name() + " " + host.size())
                                .toList())
                + ")";
    }

    private String oversubscribed() {
        final String idle = plan.nodeSetting(NodeSetting.IDLE);
        return idle == null || idle.equals(Idling.DEFAULT.toString())
                ? " (oversubscribed: waiting ranks yield)"
                : " (oversubscribed: idle=" + idle + ")";
    }

    /** Returns the job name with 4 of its 16 digits, as in {@code halo-7f3a}, which are enough for a reader. */
    private static String shortName(String jobName) {
        return jobName.substring(0, jobName.length() - 12);
    }

    private void startRanks(RankCommands commands, RankOutputs outputs, RemoteHosts hosts) throws InterruptedException {
        final List<String> prefix = ParentDeathSignal.prefix();
        for (int rank = 0; rank < plan.processCount(); rank++) {
            ranks.add(plan.hosts().of(rank).isThisHost() ? start(rank, prefix, commands, outputs) : hosts.rank(rank));
        }
        hosts.startRanks();
    }

    private Rank start(int rank, List<String> prefix, RankCommands commands, RankOutputs outputs) {
        final String name =
                plan.threaded() && plan.rankCount() > 1 ? "ranks 0 to " + (plan.rankCount() - 1) : "rank " + rank;
        final ProcessStreams streams = ProcessStreams.ofLauncher(plan, rank);
        final RankProcess started = RankProcess.start(rank, name, streams, prefix, commands, this::exited);
        console.detail(name + (plan.threaded() ? " in " : " is ") + started.place());
        if (streams.piped()) {
            outputs.start(rank, false, started.process().getInputStream());
            if (!streams.merged()) {
                outputs.start(rank, true, started.process().getErrorStream());
            }
        }
        return started;
    }

    /** Adds the exit of a process. The queue has room for one of every rank. */
    private void exited(Event event) {
        final boolean taken = events.offer(event);
        assert taken : events;
    }
}
