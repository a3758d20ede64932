package org.segno.tools.run.agent;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.segno.engine.job.HostHub;
import org.segno.engine.job.Hub;
import org.segno.engine.job.HubCall;
import org.segno.engine.job.JobDirectory;
import org.segno.node.JobConfig;
import org.segno.node.NodeAccess;
import org.segno.status.SegnoException;
import org.segno.tools.command.CommandException;
import org.segno.tools.command.Console;
import org.segno.tools.command.ExitCode;
import org.segno.tools.output.Quantity;
import org.segno.tools.process.ParentDeathSignal;
import org.segno.tools.process.Signals;
import org.segno.tools.process.ThreadDumps;
import org.segno.tools.program.Program;
import org.segno.tools.program.SourceFile;
import org.segno.tools.run.channel.ChannelFrame;
import org.segno.tools.run.channel.ChannelFrame.Kind;
import org.segno.tools.run.channel.ChannelFrame.Level;
import org.segno.tools.run.channel.FrameChannel;
import org.segno.tools.run.channel.HostSpec;
import org.segno.tools.run.plan.Binding;
import org.segno.tools.run.plan.LaunchPlan;
import org.segno.tools.run.plan.RankCommands;
import org.segno.tools.run.process.Event;
import org.segno.tools.run.process.LocalRanks;
import org.segno.tools.run.process.ProcessStreams;
import org.segno.tools.run.process.RankProcess;

/**
 * The agent of the launcher on one host. The calling thread takes work from one queue and does everything: it must live
 * as long as the process, because the kernel ties the ranks' lives to it.
 *
 * <p>The end of the channel means that the launcher is gone. The ranks then receive TERM, and KILL after the grace.
 */
public final class HostAgent {
    /**
     * Poll interval for processes that ranks have left running. The system notifies only the parent of a process of its
     * end.
     */
    private static final long STRAGGLER_LOOK_NS = TimeUnit.MILLISECONDS.toNanos(5);

    /** Limit of the wait after KILL. A killed process that still exists after this time hangs in the kernel. */
    private static final long AFTER_KILL_LIMIT_NS = TimeUnit.SECONDS.toNanos(10);

    private static final long NEVER = Long.MAX_VALUE;

    private final FrameChannel channel;
    private final HostSpec spec;
    private final LaunchPlan plan;
    private final RankPipes pipes;
    private final BlockingQueue<Work> work = new LinkedBlockingQueue<>();
    private final Map<Integer, RankProcess> ranks = new TreeMap<>();
    private final Console console = Console.standardError(0, false);

    private @Nullable RankCommands commands;
    private int running;
    private boolean started;
    private boolean failed;
    private boolean orphaned;
    private boolean killed;
    private long deadlineNs = NEVER;

    private HostAgent(FrameChannel channel, HostSpec spec) {
        this.channel = channel;
        this.spec = spec;
        this.plan = spec.plan();
        this.pipes = new RankPipes(channel);
    }

    /**
     * Runs the ranks of one host to their end.
     *
     * @param in the end of the channel from the launcher
     * @param out the end of the channel to the launcher
     * @return the exit code of this process; those of the ranks are in the channel
     */
    public static int run(InputStream in, OutputStream out) throws InterruptedException {
        final FrameChannel channel = new FrameChannel(in, out);
        final HostSpec spec;
        try {
            final ChannelFrame first = channel.read();
            if (first == null) {
                return ExitCode.NOT_FIT;
            }
            spec = HostSpec.of(first);
        } catch (final IOException e) {
            channel.send(ChannelFrame.ofText(Kind.FAILED, ExitCode.NOT_FIT, String.valueOf(e.getMessage())));
            return ExitCode.NOT_FIT;
        }
        return new HostAgent(channel, spec).run();
    }

    private int run() throws InterruptedException {
        final Signals signals =
                Signals.install(number -> work.add(this::orphaned), () -> work.add(this::dump), console);
        final Thread reader = new Thread(this::receive, "segno-launcher");
        reader.setDaemon(true);
        reader.start();
        final List<SourceFile> sources = new ArrayList<>();
        try (signals) {
            return run(sources);
        } catch (final CommandException e) {
            return fail(e.exitCode(), e);
        } catch (final SegnoException e) {
            return fail(ExitCode.NOT_FIT, e);
        } finally {
            ranks.values().forEach(RankProcess::killIfAlive);
            sources.forEach(SourceFile::close);
        }
    }

    private int fail(int exitCode, RuntimeException reason) {
        channel.send(ChannelFrame.ofText(Kind.FAILED, exitCode, String.valueOf(reason.getMessage())));
        return exitCode;
    }

    private int run(List<SourceFile> sources) throws InterruptedException {
        final LocalRanks local = LocalRanks.of(plan, spec.ranks());
        local.check(1);
        final List<Program> programs = local.compiled(sources);
        final JobConfig config = local.config(spec.jobName()).withLaunched(true);
        final JobDirectory directory = JobDirectory.create(NodeAccess.settings(config));
        final HostHub hub = HostHub.start(
                directory,
                plan.rankCount(),
                true,
                new HubCall(spec.hubs(), spec.secret(), spec.silence(), hubTimeout()),
                new HubEvents());
        try (hub) {
            commands = local.commands(programs, config, List.of());
            announce(local);
            channel.send(ChannelFrame.of(Kind.READY));
            while (!isOver()) {
                final Work next = work.poll(waitNs(), TimeUnit.NANOSECONDS);
                if (next != null) {
                    next.run();
                } else {
                    expired();
                }
            }
            pipes.finish();
            if (plan.kept()) {
                message(Level.MESSAGE, "job directory kept: " + directory.path());
            }
        }
        JobDirectory.removeRest(directory.path());
        if (started && !failed && running == 0) {
            channel.send(ChannelFrame.of(Kind.DONE));
        }
        return orphaned || failed ? ExitCode.NOT_FIT : ExitCode.DONE;
    }

    /** Less than the launcher waits for this host: its user then reads the addresses that were tried. */
    private Duration hubTimeout() {
        return plan.startTimeout().dividedBy(2);
    }

    private void announce(LocalRanks local) {
        final int cores = Runtime.getRuntime().availableProcessors();
        final int count = spec.ranks().size();
        if (count > cores) {
            message(
                    Level.MESSAGE,
                    Quantity.of(count, "rank") + " on " + Quantity.of(cores, "core") + " (oversubscribed)");
        }
        if (plan.bindingsReported() && plan.binding() != Binding.NONE) {
            for (final int rank : spec.ranks().ranks()) {
                message(Level.MESSAGE, "rank " + rank + " " + local.binding(rank));
            }
        }
    }

    private void message(Level level, String text) {
        channel.send(ChannelFrame.ofMessage(level, text));
    }

    private boolean isOver() {
        final boolean ended = running == 0 && (started || failed || orphaned);
        return (ended && (killed || !hasStragglers())) || (killed && System.nanoTime() - deadlineNs >= 0);
    }

    private boolean hasStragglers() {
        return ranks.values().stream().anyMatch(RankProcess::hasStragglers);
    }

    private long waitNs() {
        final long waitNs = deadlineNs == NEVER ? NEVER : deadlineNs - System.nanoTime();
        return running == 0 && started ? Math.min(waitNs, STRAGGLER_LOOK_NS) : waitNs;
    }

    private void expired() {
        if (deadlineNs != NEVER && System.nanoTime() - deadlineNs >= 0 && !killed) {
            killAll();
        }
    }

    private void killAll() {
        killed = true;
        deadlineNs = System.nanoTime() + AFTER_KILL_LIMIT_NS;
        ranks.values().forEach(RankProcess::kill);
    }

    /** Receives frames until the end of the channel. Runs on a thread of its own. */
    private void receive() {
        try {
            for (ChannelFrame frame = channel.read(); frame != null; frame = channel.read()) {
                final ChannelFrame received = frame;
                if (received.kind() == Kind.INPUT) {
                    pipes.addInput(received.bytes());
                } else {
                    work.add(() -> execute(received));
                }
            }
        } catch (final IOException ignored) {
            // The launcher died within a frame: an end like any other.
        }
        work.add(this::orphaned);
    }

    private void execute(ChannelFrame frame) throws InterruptedException {
        final RankProcess rank = ranks.get(frame.rank());
        switch (frame.kind()) {
            case START -> startRanks();
            case TERM -> {
                // A rank may be missing, because it could not be started.
                if (rank != null) {
                    rank.terminate();
                }
            }
            case KILL -> {
                if (rank != null) {
                    rank.kill();
                }
            }
            case DUMP -> dump();
            default -> throw new IllegalStateException("no launcher sends " + frame);
        }
    }

    private void orphaned() {
        if (!orphaned) {
            orphaned = true;
            endRanks();
        }
    }

    /** Sends TERM to all ranks, and KILL after the grace. */
    private void endRanks() {
        if (!killed && deadlineNs == NEVER) {
            deadlineNs = System.nanoTime() + plan.killGrace().toNanos();
            ranks.values().forEach(RankProcess::terminate);
        }
    }

    private void startRanks() throws InterruptedException {
        started = true;
        final List<String> prefix = ParentDeathSignal.prefix();
        try {
            for (final int rank : spec.ranks().ranks()) {
                start(rank, prefix);
            }
        } catch (final CommandException e) {
            failed(e.exitCode(), String.valueOf(e.getMessage()));
        }
    }

    private void start(int rank, List<String> prefix) {
        final ProcessStreams streams = ProcessStreams.ofAgent(plan, rank);
        final RankProcess process = RankProcess.start(
                rank,
                "rank " + rank,
                streams,
                prefix,
                Objects.requireNonNull(commands),
                exit -> work.add(() -> exited(exit)));
        running++;
        ranks.put(rank, process);
        channel.send(ChannelFrame.of(Kind.STARTED, rank, process.process().pid()));
        pipes.startOutput(Kind.OUT, rank, process.process().getInputStream());
        if (!streams.merged()) {
            pipes.startOutput(Kind.ERR, rank, process.process().getErrorStream());
        }
        if (streams.isFed()) {
            pipes.startInput(rank, process.process().getOutputStream());
        }
    }

    private void exited(Event event) {
        running--;
        rank(event.subject()).exit().exited(event.status(), event.atNs());
        channel.send(ChannelFrame.of(Kind.EXITED, event.subject(), event.status()));
    }

    private RankProcess rank(int number) {
        return Objects.requireNonNull(ranks.get(number), () -> "rank " + number + " has not been started");
    }

    private void dump() throws InterruptedException {
        final List<String> pids = new ArrayList<>();
        for (final RankProcess rank : ranks.values()) {
            final List<String> found = rank.exit().running() ? rank.virtualMachines() : List.of();
            if (found.isEmpty()) {
                message(Level.MESSAGE, rank.name() + " is not a JVM: it has no thread dump");
            }
            pids.addAll(found);
        }
        if (!pids.isEmpty()) {
            ThreadDumps.request(pids, console);
        }
    }

    /** Ends the job because this host cannot go on. */
    private void failed(int exitCode, String reason) {
        failed = true;
        channel.send(ChannelFrame.ofText(Kind.FAILED, exitCode, reason));
        endRanks();
    }

    /** Something that the calling thread of {@link #run} does. */
    private interface Work {
        void run() throws InterruptedException;
    }

    /** Listener for the end of the hub. The launcher's hub reports everything else. */
    private final class HubEvents implements Hub.Listener {
        @Override
        public void failed(Throwable cause) {
            final String reason = cause instanceof SegnoException
                    ? String.valueOf(cause.getMessage())
                    : "the hub of this host has failed: " + cause;
            work.add(() -> HostAgent.this.failed(ExitCode.NOT_FIT, reason));
        }
    }
}
