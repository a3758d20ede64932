package org.segno.transport.shm;

import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.segno.engine.job.JobDirectory;
import org.segno.node.JobConfig;
import org.segno.node.NodeAccess;

/** A job of two processes and the foreign writer that attacks it. */
final class AttackedJob implements AutoCloseable {
    private static final int END_S = 60;

    private final Attack attack;
    private final JobConfig job;
    private final List<AttackedProcess> processes;
    private @Nullable ForeignWriter writer;

    private AttackedJob(Attack attack, JobConfig job, List<AttackedProcess> processes) {
        this.attack = attack;
        this.job = job;
        this.processes = processes;
    }

    /** Starts the processes of a job, which has the directory for itself. */
    static AttackedJob start(Attack attack, Path directory, long attackMs) {
        final JobConfig job = JobConfig.of("attack", 0, 2)
                .withDirectory(directory)
                .withKeep(true)
                .withJoinTimeout(Duration.ofSeconds(END_S));
        final List<AttackedProcess> processes = new ArrayList<>();
        for (int rank = 0; rank < job.size(); rank++) {
            processes.add(AttackedProcess.start(
                    job.withRank(rank), attack.threading(rank), attack.seed(), attackMs, directory));
        }
        return new AttackedJob(attack, job, processes);
    }

    /** Waits until the ranks run their steps, and starts the writer. */
    void attack() throws InterruptedException {
        for (final AttackedProcess process : processes) {
            process.awaitRunning();
        }
        final Path files = JobDirectory.pathOf(NodeAccess.settings(job));
        writer = ForeignWriter.start(
                List.of(files.resolve("node-0"), files.resolve("node-1")), attack.area(), attack.seed());
    }

    /** Waits for the end of the processes while the attack continues; returns their failures, or an empty list. */
    List<String> awaitEnd() throws InterruptedException {
        final List<String> wrong = new ArrayList<>();
        for (final AttackedProcess process : processes) {
            wrong.addAll(process.awaitEnd(END_S));
        }
        close();
        if (Boolean.getBoolean("segno.attack.report")) {
            report();
        }
        if (!wrong.isEmpty()) {
            wrong.add(0, "repeat with " + attack + ": " + writer);
        }
        return wrong;
    }

    private void report() {
        System.out.println(attack + ": " + writer);
        for (final AttackedProcess process : processes) {
            process.report().forEach(line -> System.out.println("  " + line));
        }
    }

    @Override
    public void close() {
        if (writer != null) {
            writer.close();
        }
        processes.forEach(AttackedProcess::close);
    }
}
