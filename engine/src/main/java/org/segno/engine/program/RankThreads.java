package org.segno.engine.program;

import java.io.PrintStream;
import java.lang.reflect.InvocationTargetException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.segno.engine.job.Membership;
import org.segno.node.JobConfig;
import org.segno.node.NodeAccess;
import org.segno.node.RankMain;

/**
 * The main class of a process that runs the ranks of a job as its threads: {@code RankThreads MAIN [ARGUMENTS]}, where
 * MAIN implements {@link RankMain} and the environment describes rank 0.
 *
 * <p>The first rank to fail determines the outcome. Its exception is printed as a JVM prints it, and the hub notifies
 * all other ranks that it has died. They have half a second in which their waits fail, then the process ends with
 * status 1. If MAIN is unsuitable, the process ends with status 3 before any rank runs.
 */
public final class RankThreads {
    private static final int FAILED = 1;
    private static final int NOT_FIT = 3;
    private static final long GRACE_NS = TimeUnit.MILLISECONDS.toNanos(500);

    private final BlockingQueue<Ended> ended = new LinkedBlockingQueue<>();
    private final @Nullable RankStreams streams;

    private RankThreads(@Nullable RankStreams streams) {
        this.streams = streams;
    }

    /** End of one rank. The failure is null if the rank has returned. */
    private record Ended(int rank, @Nullable Throwable failure) {}

    /** Runs all ranks, and ends the process when one fails. */
    public static void main(String[] words) throws Exception {
        if (words.length == 0) {
            refuse("no main class: RankThreads MAIN [ARGUMENTS]");
        }
        final JobConfig job = JobConfig.fromEnvironment();
        final List<RankMain> programs = new ArrayList<>();
        for (int rank = 0; rank < job.size(); rank++) {
            programs.add(program(words[0]));
        }
        final RankThreads threads = new RankThreads(RankStreams.install(job.size()));
        threads.run(job, programs, Arrays.copyOfRange(words, 1, words.length));
    }

    private static RankMain program(String className) throws IllegalAccessException {
        try {
            final Class<?> type = Class.forName(className);
            if (!RankMain.class.isAssignableFrom(type)) {
                refuse(className + " does not implement " + RankMain.class.getName()
                        + ", so its ranks cannot be threads: implement run(JobConfig, String[]), or use"
                        + " --as processes");
            }
            final var constructor = type.getDeclaredConstructor();
            constructor.setAccessible(true);
            return (RankMain) constructor.newInstance();
        } catch (ClassNotFoundException e) {
            refuse("class not found, check the class path: " + className);
        } catch (NoSuchMethodException | InstantiationException e) {
            refuse(className + " has no constructor without parameters, which ranks need: add one");
        } catch (InvocationTargetException e) {
            e.printStackTrace();
            refuse(className + " cannot be constructed: " + e.getCause());
        }
        throw new IllegalStateException("the process has ended");
    }

    private static void refuse(String message) {
        System.err.println("segno: " + message);
        System.exit(NOT_FIT);
    }

    private void run(JobConfig job, List<RankMain> programs, String[] arguments) throws InterruptedException {
        for (int rank = 0; rank < job.size(); rank++) {
            final int own = rank;
            final RankMain program = programs.get(rank);
            new Thread(() -> run(job.withRank(own), program, arguments.clone()), "segno-rank-" + rank).start();
        }
        for (int running = job.size(); running > 0; running--) {
            final Ended first = ended.take();
            if (first.failure != null) {
                awaitOthers(running - 1);
                System.exit(FAILED);
            }
        }
    }

    private void run(JobConfig job, RankMain program, String[] arguments) {
        RankStreams.enter(job.rank());
        Throwable failure = null;
        try {
            program.run(job, arguments);
        } catch (Throwable e) {
            failure = e;
            // Report it before any other rank can detect the end of this one, so that their failures come later.
            if (streams != null) {
                streams.failed(job.rank());
            }
            final PrintStream error = System.err;
            error.print("Exception in thread \"" + Thread.currentThread().getName() + "\" ");
            e.printStackTrace(error);
            Membership.fail(NodeAccess.settings(job));
        }
        ended.add(new Ended(job.rank(), failure));
    }

    /** Waits for the other ranks, which now fail because of the first. */
    private void awaitOthers(int running) throws InterruptedException {
        final long deadlineNs = System.nanoTime() + GRACE_NS;
        for (int left = running; left > 0; left--) {
            if (ended.poll(deadlineNs - System.nanoTime(), TimeUnit.NANOSECONDS) == null) {
                return;
            }
        }
    }
}
