package org.segno.tools.observe;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.segno.tools.SegnoProcess;

/** Real job of two {@link WatchedRank}s that have finished their exchange, and the real command to observe it. */
public final class WatchedJob implements AutoCloseable {
    private static final Pattern NAME = Pattern.compile("job (\\S+) · 2 ranks");

    private final Path parent;
    private final SegnoProcess launcher;
    private final List<String> pids;

    private WatchedJob(Path parent, SegnoProcess launcher) {
        this.parent = parent;
        this.launcher = launcher;
        this.pids = launcher.awaitOutput(2);
    }

    /** Starts a job with its directory in {@code parent}; {@code options} are options of {@code segno run}. */
    public static WatchedJob start(Path parent, String... options) throws IOException {
        final List<String> arguments = new ArrayList<>(List.of("run", "-n", "2"));
        arguments.addAll(List.of(options));
        arguments.addAll(List.of("-cp", System.getProperty("java.class.path"), WatchedRank.class.getName()));
        return new WatchedJob(parent, SegnoProcess.startIn(parent, arguments.toArray(String[]::new)));
    }

    /** Returns the name of the job from the launcher's output. */
    public String name() {
        launcher.awaitError("2 ranks on");
        final Matcher name = NAME.matcher(launcher.error());
        assertThat(name.find()).as(launcher.error()).isTrue();
        return name.group(1);
    }

    /** Runs {@code segno} beside the job, to its end. */
    public SegnoProcess look(String... arguments) throws Exception {
        return look(parent, arguments);
    }

    /** Runs {@code segno} to its end, with job directories in {@code parent}. */
    public static SegnoProcess look(Path parent, String... arguments) throws Exception {
        try (SegnoProcess segno = SegnoProcess.start(Map.of("SEGNO_DIR", parent.toString()), arguments)) {
            segno.exitCode();
            return segno;
        }
    }

    /** Sends a signal to both ranks. */
    public void signal(String name) throws IOException, InterruptedException {
        assertThat(new ProcessBuilder("sh", "-c", "kill -" + name + " " + String.join(" ", pids))
                        .inheritIO()
                        .start()
                        .waitFor())
                .isZero();
    }

    /** Ends the job and returns the directory that it has left, with {@code --keep}. */
    public Path end() throws IOException, InterruptedException {
        signal("KILL");
        launcher.exitCode();
        try (Stream<Path> left = Files.list(parent)) {
            return left.findFirst().orElseThrow();
        }
    }

    @Override
    public void close() {
        launcher.close();
    }
}
