package org.segno.tools.run.job;

import java.util.ArrayList;
import java.util.BitSet;
import java.util.List;
import java.util.Locale;
import java.util.Objects;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.segno.node.JobEnvironment;
import org.segno.tools.command.Console;
import org.segno.tools.command.ExitCode;
import org.segno.tools.output.Quantity;
import org.segno.tools.process.ThreadDumps;
import org.segno.tools.run.plan.LaunchPlan;
import org.segno.tools.run.process.Event;
import org.segno.tools.run.process.Rank;
import org.segno.tools.run.process.RankExit;
import org.segno.tools.run.process.RankProcess;
import org.segno.tools.run.remote.RemoteHosts;

/**
 * The supervision of one job's running ranks until all have ended. It decides when and how the job ends.
 *
 * <p>One thread takes events from one queue and does everything. A wait ends at the next deadline: the job's timeout,
 * the grace after TERM, or the limit after KILL.
 */
final class Supervision {
    /** Limit of the wait after KILL. A killed process that still exists after this time hangs in the kernel. */
    private static final long AFTER_KILL_LIMIT_NS = TimeUnit.SECONDS.toNanos(10);

    /**
     * Delay before a rank's end by INT is reported as a failure. Ctrl-C signals ranks and launcher at the same time,
     * and the launcher's own signal may arrive later than the rank's exit.
     */
    private static final long INTERRUPT_SETTLE_NS = TimeUnit.MILLISECONDS.toNanos(100);

    /**
     * Poll interval for processes that ranks have left running. The system notifies only the parent of a process of its
     * end, so the launcher must poll.
     */
    private static final long STRAGGLER_LOOK_NS = TimeUnit.MILLISECONDS.toNanos(5);

    private static final int INTERRUPTED_STATUS = ExitCode.SIGNALLED + 2;
    private static final long NEVER = Long.MAX_VALUE;

    private final LaunchPlan plan;
    private final List<Rank> ranks;
    private final RemoteHosts hosts;
    private final BlockingQueue<Event> events;
    private final Console console;
    private final long startNs;
    private final BitSet joined = new BitSet();

    private @Nullable Ending ending;
    private int failedThread = LaunchPlan.NO_RANK;
    private boolean interrupted;
    private boolean announced;
    private boolean over;
    private long announceNs;
    private int running;
    private long lastExitNs;

    Supervision(
            LaunchPlan plan,
            List<Rank> ranks,
            RemoteHosts hosts,
            BlockingQueue<Event> events,
            Console console,
            long startNs) {
        this.plan = plan;
        this.hosts = hosts;
        this.ranks = ranks;
        this.events = events;
        this.console = console;
        this.startNs = startNs;
        this.running = plan.processCount();
    }

    /** Handles events until all ranks have ended. */
    void watch() throws InterruptedException {
        while (running > 0 || hasStragglers() || isSettling()) {
            final Event event = events.poll(waitNs(), TimeUnit.NANOSECONDS);
            if (event != null) {
                handle(event);
            } else if (!expired()) {
                break;
            }
            announceFailure();
        }
        over = true;
        announceFailure();
    }

    /** Returns the job's exit code. Called after the ranks' last output was written, because that may have failed. */
    int finish() {
        for (Event event = events.poll(); event != null; event = events.poll()) {
            if (event.kind() == Event.Kind.OUTPUT_LOST) {
                endWith(event);
            }
        }
        return exitCode();
    }

    /** Returns the outcome of the job for the last message to the user. */
    String summary() {
        final Ending end = ending;
        if (end == null) {
            final long failed = ranks.stream()
                    .filter(rank -> rank.exit().status() != ExitCode.DONE)
                    .count();
            return String.format(
                    Locale.ROOT,
                    "%s%s%s ended with 0 in %s",
                    failed == 0 ? "" : ranks.size() - failed + " of ",
                    Quantity.of(plan.rankCount(), "rank"),
                    plan.hosts().isRemote()
                            ? " on " + Quantity.of(plan.hosts().hosts().size(), "host")
                            : "",
                    seconds(lastExitNs));
        }
        if (end.signalled == 0) {
            return "no other rank was running";
        }
        final long killedCount =
                ranks.stream().filter(rank -> rank.exit().killed()).count();
        return String.format(
                Locale.ROOT,
                "TERM to %s, %s in %s, %s",
                Quantity.of(end.signalled, "rank"),
                running > 0 ? running + " still running" : "all gone",
                seconds(nowNs() - end.atNs),
                killedCount == 0 ? "none needed KILL" : killedCount + " needed KILL");
    }

    private boolean hasStragglers() {
        return ranks.stream().anyMatch(Rank::hasStragglers);
    }

    /** Returns whether all ranks may have ended by a Ctrl-C that has not reached the launcher yet. */
    private boolean isSettling() {
        final Ending end = ending;
        return end != null && end.exitCode == Ending.BY_FAILURE && !announced && nowNs() < announceNs;
    }

    private long waitNs() {
        final long waitNs = deadlineNs() - nowNs();
        return running > 0 || !hasStragglers() ? waitNs : Math.min(waitNs, STRAGGLER_LOOK_NS);
    }

    private long deadlineNs() {
        final Ending end = ending;
        if (end == null) {
            final var timeout = plan.timeout();
            return timeout == null ? NEVER : timeout.toNanos();
        }
        return announced || announceNs <= nowNs() ? end.deadlineNs : Math.min(announceNs, end.deadlineNs);
    }

    /** Acts on an expired deadline. Returns false if there is nothing more to wait for. */
    private boolean expired() throws InterruptedException {
        final Ending end = ending;
        if (end == null) {
            if (nowNs() >= deadlineNs()) {
                console.problem(
                        "--timeout " + JobEnvironment.format(Objects.requireNonNull(plan.timeout())) + " reached");
                if (plan.stackTraces()) {
                    requestThreadDumps();
                }
                end(ExitCode.TIMED_OUT);
            }
            return true;
        }
        if (nowNs() < end.deadlineNs) {
            return true;
        }
        if (end.killed) {
            if (running > 0) {
                console.problem("ranks still running after KILL: " + stillRunning());
            }
            return false;
        }
        kill(end);
        return true;
    }

    private void handle(Event event) throws InterruptedException {
        switch (event.kind()) {
            case EXITED -> exited(event);
            case JOINED -> joined.set(event.subject());
            case DEAD -> process(event.subject()).exit().dead(event.atNs() - startNs);
            case FAILED -> failedThread = failedThread == LaunchPlan.NO_RANK ? event.subject() : failedThread;
            case END -> signalled(event.subject());
            case DUMP -> requestThreadDumps();
            case OUTPUT_LOST, HUB_FAILED, HOST_FAILED -> endWith(event);
            case HOST_ENDED -> hostEnded(event);
            case HOST_READY -> {
                // Handled before any rank was started.
            }
        }
    }

    private void requestThreadDumps() throws InterruptedException {
        final List<String> pids = new ArrayList<>();
        for (final Rank rank : ranks) {
            if (rank instanceof RankProcess process) {
                final List<String> found = rank.exit().running() ? process.virtualMachines() : List.of();
                if (found.isEmpty()) {
                    console.message(rank.name() + " is not a JVM: it has no thread dump");
                }
                pids.addAll(found);
            }
        }
        hosts.requestThreadDumps();
        if (!pids.isEmpty()) {
            ThreadDumps.request(pids, console);
        }
    }

    /** Returns the process of a rank. */
    private Rank process(int rank) {
        return ranks.get(plan.threaded() ? 0 : rank);
    }

    private void exited(Event event) {
        final Rank process = process(event.subject());
        final RankExit exit = process.exit();
        running--;
        lastExitNs = event.atNs() - startNs;
        exit.exited(event.status(), lastExitNs);
        console.detail(process.name() + " ended with " + RankExit.describe(event.status()));
        if (event.status() != 0 && ending == null && plan.isGoingOn()) {
            console.problem(failure(exit) + "; the others go on");
        } else if (event.status() != 0 && ending == null) {
            announceNs = event.status() == INTERRUPTED_STATUS ? nowNs() + INTERRUPT_SETTLE_NS : 0;
            end(Ending.BY_FAILURE);
        }
    }

    private void signalled(int number) {
        final Ending end = ending;
        if (end == null) {
            console.message("ended by " + RankExit.signal(number));
            end(ExitCode.SIGNALLED + number);
        } else if (interrupted && number == 2) {
            kill(end);
        } else if (end.exitCode == Ending.BY_FAILURE && !announced) {
            // The rank received the same Ctrl-C, so the signal is the cause and not a failure.
            console.message("ended by " + RankExit.signal(number));
            end.exitCode = ExitCode.SIGNALLED + number;
        }
        interrupted = true;
    }

    /** Gives up the ranks of a host whose channel has ended, and ends the job if that was not in order. */
    private void hostEnded(Event event) {
        for (final int number : hosts.ranksOf(event.subject())) {
            final Rank rank = process(number);
            if (rank.exit().running()) {
                rank.exit().lost(event.atNs() - startNs);
                running--;
            }
        }
        final Ending end = ending;
        if (event.reason().isEmpty()) {
            return;
        }
        if (end == null) {
            endWith(event);
        } else if (end.exitCode == Ending.BY_FAILURE && !announced) {
            // The ranks of the lost host had died before the rank that failed, and are its cause.
            console.problem(event.reason());
            end.exitCode = event.status();
        }
    }

    /** Ends the job with the event's reason and status. */
    private void endWith(Event event) {
        if (ending == null) {
            console.problem(event.reason());
            end(event.status());
        }
    }

    private void end(int exitCode) {
        final Ending end = new Ending(exitCode, nowNs(), plan.killGrace().toNanos());
        ending = end;
        for (final Rank rank : ranks) {
            if (rank.exit().running()) {
                rank.terminate();
                rank.exit().signalled(false, nowNs());
                end.signalled++;
            }
        }
    }

    private void kill(Ending end) {
        end.killed = true;
        end.deadlineNs = nowNs() + AFTER_KILL_LIMIT_NS;
        for (final Rank rank : ranks) {
            rank.kill();
            if (rank.exit().running()) {
                rank.exit().signalled(true, nowNs());
            }
        }
    }

    private void announceFailure() {
        final Ending end = ending;
        if (end == null || announced || end.exitCode != Ending.BY_FAILURE || (!over && nowNs() < announceNs)) {
            return;
        }
        final RankExit first = firstToFail();
        if (first != null) {
            announced = true;
            console.problem(failure(first) + ": first to fail" + missing());
        }
    }

    private String failure(RankExit exit) {
        return String.format(
                Locale.ROOT,
                "%s (%s) ended with %s after %s",
                name(exit),
                process(exit.rank()).place(),
                RankExit.describe(exit.status()),
                seconds(exit.exitNs()));
    }

    /** Returns the name of the failed rank for messages. A thread that failed first has reported its rank. */
    private String name(RankExit first) {
        return failedThread == LaunchPlan.NO_RANK
                ? process(first.rank()).name()
                : "rank " + failedThread + ", a thread";
    }

    /** Returns the ranks that had not joined, as text, or an empty text if none or all ranks had joined. */
    private String missing() {
        if (joined.isEmpty() || joined.cardinality() == plan.rankCount()) {
            return "";
        }
        final List<Integer> missing = new ArrayList<>();
        for (int rank = joined.nextClearBit(0); rank < plan.rankCount(); rank = joined.nextClearBit(rank + 1)) {
            missing.add(rank);
        }
        return " (not joined: " + missing + ")";
    }

    private int exitCode() {
        final Ending end = ending;
        if (end != null && end.exitCode != Ending.BY_FAILURE) {
            return end.exitCode;
        }
        final RankExit first = firstToFail();
        if (end == null && first == null) {
            return ExitCode.DONE;
        }
        if (first == null) {
            throw new IllegalStateException("no rank counts as the first to fail, although a rank has failed");
        }
        return first.status();
    }

    private @Nullable RankExit firstToFail() {
        return RankExit.firstToFail(ranks.stream().map(Rank::exit).toList(), over);
    }

    private List<Integer> stillRunning() {
        return ranks.stream()
                .map(Rank::exit)
                .filter(RankExit::running)
                .map(RankExit::rank)
                .toList();
    }

    private long nowNs() {
        return System.nanoTime() - startNs;
    }

    private static String seconds(long ns) {
        return String.format(Locale.ROOT, "%.2f s", ns / 1e9);
    }

    /** The ending of the job: its exit code, its start, and the deadline of the next step if ranks still run. */
    private static final class Ending {
        /** Exit code that stands for the status of the rank that failed first, which may be undecided yet. */
        static final int BY_FAILURE = -1;

        private final long atNs;
        private int exitCode;
        private long deadlineNs;
        private boolean killed;
        private int signalled;

        Ending(int exitCode, long atNs, long graceNs) {
            this.exitCode = exitCode;
            this.atNs = atNs;
            this.deadlineNs = atNs + graceNs;
        }
    }
}
