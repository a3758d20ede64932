package org.segno.engine.job;

import java.io.BufferedReader;
import java.io.FileInputStream;
import java.io.FileNotFoundException;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import org.segno.node.JobConfig;
import org.segno.node.NodeAccess;
import org.segno.status.Deadline;
import org.segno.status.SegnoException;

/**
 * Process of a job under test. It takes the job from its environment and its role from its arguments, and prints the
 * observed events to standard output, one a line. It ends with its standard input, so that none outlives the test.
 */
final class TestRankMain {
    private TestRankMain() {}

    public static void main(String[] arguments) throws IOException {
        final JobConfig config = JobConfig.fromEnvironment();
        switch (arguments[0]) {
            case "hub" -> hub(config);
            case "race" -> race(config, Integer.parseInt(arguments[1]));
            case "directory" -> directory(config);
            case "exhaust" -> exhaust(config);
            default -> join(config, arguments[0]);
        }
    }

    private static void join(JobConfig config, String lastStep) throws IOException {
        final int rank = config.rank();
        final long deadlineNs = Deadline.in(config.joinTimeout().toNanos(), TimeUnit.NANOSECONDS);
        final Membership membership = Membership.register(NodeAccess.settings(config), new PrintingListener());
        try {
            membership.awaitWelcome(rank, deadlineNs);
            print("welcome");
            if (!lastStep.equals("welcome")) {
                makeNodeFile(membership, rank);
                membership.made(rank);
                membership.awaitAllMade(rank, deadlineNs);
                print("all made");
                membership.mapped(rank);
                membership.awaitGo(rank, deadlineNs);
                print("go " + membership.jobId());
            }
        } catch (SegnoException e) {
            print("failed " + e.getClass().getSimpleName() + ": " + e.getMessage());
        }
        untilInputEnds(() -> {
            membership.goodbye(rank);
            print("goodbye");
        });
    }

    private static void makeNodeFile(Membership membership, int rank) throws IOException {
        try {
            Files.createFile(membership.directory().resolve("node-" + rank));
        } catch (NoSuchFileException e) {
            // The join has failed meanwhile; the next wait reports the reason.
            print("no directory");
        }
    }

    private static void hub(JobConfig config) throws IOException {
        final Hub hub;
        try {
            hub = Hub.start(
                    JobDirectory.create(NodeAccess.settings(config)), config.size(), true, new PrintingHubListener());
        } catch (SegnoException e) {
            print("failed " + e.getMessage());
            return;
        }
        print("hub");
        untilInputEnds(hub::close);
        hub.close();
    }

    private static void directory(JobConfig config) throws IOException {
        final JobDirectory directory = JobDirectory.create(NodeAccess.settings(config));
        print("made " + directory.id());
        untilInputEnds(directory::close);
    }

    /** Makes a directory, opens files until the system refuses one, and removes the directory. */
    private static void exhaust(JobConfig config) throws IOException {
        final JobDirectory directory = JobDirectory.create(NodeAccess.settings(config));
        final List<FileInputStream> open = new ArrayList<>();
        openUntilRefused(open);
        directory.close();
        openUntilRefused(open);
        print("closed with " + open.size() + " files open, failed: " + failureToMake(config));
        untilInputEnds(() -> {});
    }

    private static void openUntilRefused(List<FileInputStream> open) {
        try {
            while (true) {
                open.add(new FileInputStream("/dev/null"));
            }
        } catch (FileNotFoundException expected) {
            print("opened " + open.size());
        }
    }

    private static String failureToMake(JobConfig config) {
        try (JobDirectory another = JobDirectory.create(NodeAccess.settings(config))) {
            return "not at all, made " + another.path();
        } catch (SegnoException e) {
            return String.valueOf(e.getMessage());
        }
    }

    /** Takes and releases the same directory {@code wins} times: two processes must never hold it at once. */
    private static void race(JobConfig config, int wins) throws IOException {
        final long deadlineNs = Deadline.in(config.joinTimeout().toNanos(), TimeUnit.NANOSECONDS);
        int won = 0;
        while (won < wins && !Deadline.reached(deadlineNs)) {
            final Optional<JobDirectory> made = JobDirectory.tryCreate(NodeAccess.settings(config));
            if (made.isPresent()) {
                won++;
                Files.createFile(made.get().path().resolve("witness"));
                made.get().close();
            }
        }
        print("won " + won);
    }

    private static void untilInputEnds(Runnable onGoodbye) throws IOException {
        final BufferedReader input = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
        for (String line = input.readLine(); line != null; line = input.readLine()) {
            onGoodbye.run();
        }
    }

    private static void print(String line) {
        synchronized (System.out) {
            System.out.println(line);
        }
    }

    private static final class PrintingListener implements Membership.Listener {
        @Override
        public void left(int rank) {
            print("left " + rank);
        }

        @Override
        public void dead(int rank) {
            print("dead " + rank);
        }

        @Override
        public void hubLost() {
            print("hub lost");
        }

        @Override
        public void failed(String part, Throwable cause) {
            print("an error has ended " + part);
        }

        @Override
        public void heartbeat(long nowNs) {}
    }

    private static final class PrintingHubListener implements Hub.Listener {
        @Override
        public void joined(int rank, long pid) {
            print("joined " + rank);
        }

        @Override
        public void allJoined() {
            print("all joined");
        }

        @Override
        public void left(int rank) {
            print("left " + rank);
        }

        @Override
        public void dead(int rank) {
            print("dead " + rank);
        }
    }
}
