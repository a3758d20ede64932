package org.segno.tools.run.remote;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;
import org.segno.node.JobEnvironment;
import org.segno.tools.command.CommandException;
import org.segno.tools.command.Console;
import org.segno.tools.command.ExitCode;
import org.segno.tools.run.channel.ChannelFrame;
import org.segno.tools.run.channel.ChannelFrame.Kind;
import org.segno.tools.run.channel.HostSpec;
import org.segno.tools.run.plan.HostRanks;
import org.segno.tools.run.plan.LaunchPlan;
import org.segno.tools.run.process.Event;
import org.segno.tools.run.process.Rank;
import org.segno.tools.run.process.RankOutputs;

/** All other hosts of a job. Used by the supervising thread. */
public final class RemoteHosts implements AutoCloseable {
    /** Longer than the time that an agent waits for the last output of its ranks. */
    private static final long FINISH_LIMIT_MS = 3_000;

    /** Time for agents that have not ended by themselves. */
    private static final long END_LIMIT_MS = 2_000;

    private final LaunchPlan plan;
    private final BlockingQueue<Event> events;
    private final List<HostChannel> hosts = new ArrayList<>();

    private RemoteHosts(LaunchPlan plan, BlockingQueue<Event> events) {
        this.plan = plan;
        this.events = events;
    }

    /**
     * Starts the agents of all other hosts.
     *
     * @param specs the specification of a host's ranks
     * @param events receives the events; it has room for all
     * @throws CommandException if a remote shell cannot be started.
     */
    public static RemoteHosts start(
            LaunchPlan plan,
            Function<HostRanks, HostSpec> specs,
            RankOutputs outputs,
            BlockingQueue<Event> events,
            Console console) {
        final RemoteHosts all = new RemoteHosts(plan, events);
        boolean started = false;
        try {
            for (final HostRanks ranks : plan.hosts().remote()) {
                final HostChannel host = HostChannel.start(
                        all.hosts.size(),
                        ranks,
                        plan.remoteShell(),
                        outputs,
                        new HostChannel.Reports(all::put, console));
                all.hosts.add(host);
                host.begin(specs.apply(ranks).toFrame());
            }
            started = true;
            return all;
        } finally {
            if (!started) {
                all.close();
            }
        }
    }

    private void put(Event event) {
        final boolean taken = events.offer(event);
        assert taken : event;
    }

    /**
     * Waits until all hosts are ready to start their ranks. Returns 0, or the number of a signal that ends the job.
     *
     * @param startNs the time of the job's start
     * @throws CommandException if a host is not fit, its remote shell ends, or the start timeout or the timeout of the
     *     job is reached.
     */
    public int awaitReady(long startNs) throws InterruptedException {
        final Duration timeout = plan.timeout();
        final boolean isTimeoutFirst = timeout != null && timeout.compareTo(plan.startTimeout()) < 0;
        final Duration limit = isTimeoutFirst ? Objects.requireNonNull(timeout) : plan.startTimeout();
        while (!hosts.stream().allMatch(HostChannel::isReady)) {
            final Event event = events.poll(startNs + limit.toNanos() - System.nanoTime(), TimeUnit.NANOSECONDS);
            if (event == null) {
                throw late(isTimeoutFirst, limit);
            }
            switch (event.kind()) {
                case END -> {
                    return event.subject();
                }
                case HOST_FAILED, HOST_ENDED, HUB_FAILED -> throw new CommandException(event.status(), event.reason());
                default -> {
                    // No rank runs yet.
                }
            }
        }
        return 0;
    }

    private CommandException late(boolean ofJob, Duration limit) {
        final List<String> missing = hosts.stream()
                .filter(host -> !host.isReady())
                .map(host -> host.name() + " ('" + host.command() + "')")
                .toList();
        final String text = " " + JobEnvironment.format(limit) + " reached, not ready: host "
                + String.join(", ", missing) + "; is the remote shell waiting for a password?";
        return ofJob
                ? new CommandException(ExitCode.TIMED_OUT, "--timeout" + text)
                : new CommandException(ExitCode.NOT_FIT, "--start-timeout" + text);
    }

    /** Lets all hosts start their ranks, and passes standard input if a rank there reads it. */
    public void startRanks() {
        for (final HostChannel host : hosts) {
            host.send(ChannelFrame.of(Kind.START));
            if (host.ranks().ranks().contains(plan.inputRank())) {
                host.startInput(plan.inputRank());
            }
        }
    }

    /** Returns a rank of one of the hosts. */
    public Rank rank(int number) {
        return hosts.stream()
                .filter(host -> host.ranks().ranks().contains(number))
                .findFirst()
                .orElseThrow()
                .rank(number);
    }

    /** Returns the ranks of a host by its number in events. */
    public List<Integer> ranksOf(int host) {
        return hosts.get(host).ranks().ranks();
    }

    /** Requests a thread dump of each rank. */
    public void requestThreadDumps() {
        hosts.forEach(host -> host.send(ChannelFrame.of(Kind.DUMP)));
    }

    /** Waits for the end of all agents and for the last output of their ranks. */
    public void finish() throws InterruptedException {
        for (final HostChannel host : hosts) {
            host.finish(FINISH_LIMIT_MS);
        }
    }

    /** Ends the agents that still run, or at least their remote shells. */
    @Override
    public void close() {
        final long deadlineNs = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(END_LIMIT_MS);
        try {
            for (final HostChannel host : hosts) {
                host.hangUp();
            }
            for (final HostChannel host : hosts) {
                host.end(deadlineNs);
            }
        } catch (final InterruptedException e) {
            // The agents still notice the end of this process.
            Thread.currentThread().interrupt();
        }
    }
}
