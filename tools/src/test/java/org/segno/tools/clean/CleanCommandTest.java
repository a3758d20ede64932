package org.segno.tools.clean;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.PrintWriter;
import java.io.Writer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.segno.engine.job.Platform;
import org.segno.tools.SegnoProcess;
import org.segno.tools.command.ExitCode;
import org.segno.tools.observe.WatchedJob;
import picocli.CommandLine;

/** Real command on the directories that real jobs have left. */
final class CleanCommandTest {
    private final List<String> questions = new ArrayList<>();

    @TempDir
    private Path parent = Path.of("");

    @Test
    @Tag("long")
    void shouldRemoveAKeptDirectoryOnlyByNameOrWithAll() throws Exception {
        try (WatchedJob job = WatchedJob.start(parent, "--keep")) {
            final Path kept = job.end();

            assertThat(clean()).isEqualTo(ExitCode.NEGATIVE_RESULT);
            assertThat(clean("--all", "--older-than", "1h")).isEqualTo(ExitCode.NEGATIVE_RESULT);
            assertThat(clean("--all", "--dry-run")).isZero();
            assertThat(kept).isDirectory();

            final SegnoProcess clean = WatchedJob.look(parent, "clean", job.name());
            assertThat(clean.process().exitValue()).as(clean.error()).isZero();
            assertThat(clean.output().get(1))
                    .matches("removed +" + kept.getFileName() + " +[0-9,]{7,} +its job has ended, it was kept");
            assertThat(parent).isEmptyDirectory();
        }
    }

    @Test
    @Tag("long")
    void shouldRemoveKeptDirectoriesOfOtherLaunchersOnlyWithConsent() throws Exception {
        try (WatchedJob job = WatchedJob.start(parent, "--keep")) {
            final Path kept = job.end();

            final SegnoProcess left = WatchedJob.look(parent, "clean", "--all");
            assertThat(left.process().exitValue()).as(left.error()).isEqualTo(ExitCode.NEGATIVE_RESULT);
            assertThat(left.output().get(1))
                    .startsWith("left")
                    .contains("no terminal to ask", "--all --yes removes it");
            assertThat(kept).isDirectory();

            assertThat(asked(false, "--all")).isEqualTo(ExitCode.NEGATIVE_RESULT);
            assertThat(questions).containsExactly("remove 1 directory kept by other launchers, SIZE?");
            assertThat(kept).isDirectory();
            assertThat(asked(true, "--all", "--dry-run")).isZero();
            assertThat(asked(true, kept.getFileName().toString(), "--dry-run")).isZero();
            assertThat(asked(true)).isEqualTo(ExitCode.NEGATIVE_RESULT);
            assertThat(questions).hasSize(1);

            assertThat(asked(true, "--all")).isZero();
            assertThat(questions).hasSize(2);
            assertThat(parent).isEmptyDirectory();
            assertThat(asked(true, "--all")).isZero();
            assertThat(questions).hasSize(2);
        }
    }

    @Test
    @Tag("long")
    void shouldNotAskWithYes() throws Exception {
        try (WatchedJob job = WatchedJob.start(parent, "--keep")) {
            job.end();

            assertThat(clean("--all", "--yes")).isZero();

            assertThat(parent).isEmptyDirectory();
        }
    }

    /** Runs the command in this process, with a user at a terminal who agrees or not. */
    private int asked(boolean agrees, String... arguments) {
        final String before = System.setProperty("segno.dir", parent.toString());
        try {
            return new CommandLine(new CleanCommand(new Confirmation() {
                        @Override
                        public boolean isGiven(String question) {
                            questions.add(question.replaceAll("[0-9.]+ [KMG]iB", "SIZE"));
                            return agrees;
                        }

                        @Override
                        public boolean isPossible() {
                            return true;
                        }
                    }))
                    .setCaseInsensitiveEnumValuesAllowed(true)
                    .setOut(new PrintWriter(Writer.nullWriter()))
                    .execute(arguments);
        } finally {
            if (before == null) {
                System.clearProperty("segno.dir");
            } else {
                System.setProperty("segno.dir", before);
            }
        }
    }

    @Test
    @Tag("long")
    void shouldLeaveTheDirectoryOfAJobThatRunsUnlessForced() throws Exception {
        try (WatchedJob job = WatchedJob.start(parent, "--keep")) {
            final SegnoProcess left = WatchedJob.look(parent, "clean", "--all");
            assertThat(left.process().exitValue()).isEqualTo(ExitCode.NEGATIVE_RESULT);
            assertThat(left.output().get(1)).startsWith("left").contains("its job runs");

            assertThat(clean(job.name(), "--force")).isZero();

            assertThat(parent).isEmptyDirectory();
            assertThat(WatchedJob.look(parent, "stat", job.name()).process().exitValue())
                    .isZero();
        }
    }

    @Test
    void shouldRemoveTheUnmarkedDirectoryOfAnEndedJob() throws Exception {
        try (WatchedJob job = WatchedJob.start(parent, "--keep")) {
            final Path left = job.end();
            Files.delete(left.resolve("kept"));
            Files.setLastModifiedTime(left, FileTime.fromMillis(0));

            assertThat(clean("--older-than", "1h")).isZero();
            assertThat(parent).isEmptyDirectory();
        }
    }

    @Test
    void shouldNeverTouchADirectoryThatIsNoJobs() throws Exception {
        final Path foreign = Files.createDirectory(
                parent.resolve("segno-" + Platform.user() + "-mine-0123456789abcdef"),
                PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rwx------")));
        Files.writeString(foreign.resolve("segno-job"), "something of my own");
        Files.writeString(foreign.resolve("node-0"), "precious");
        final Path open = Files.createDirectory(parent.resolve("segno-" + Platform.user() + "-open-0123456789abcdef"));

        assertThat(clean("--all", "--force")).isEqualTo(ExitCode.NEGATIVE_RESULT);

        assertThat(foreign.resolve("node-0")).hasContent("precious");
        assertThat(open).isDirectory();
    }

    @Test
    @Tag("long")
    void shouldReportAMissingJobAndAMissingParent() throws Exception {
        final SegnoProcess none = WatchedJob.look(parent, "clean", "nothing");
        assertThat(none.process().exitValue()).isEqualTo(ExitCode.NOTHING_THERE);
        assertThat(none.error()).contains("job 'nothing' has no directory");
        assertThat(clean()).isZero();
        assertThat(WatchedJob.look(parent.resolve("no"), "clean").process().exitValue())
                .isEqualTo(ExitCode.NOT_FIT);
    }

    @ParameterizedTest
    @Tag("long")
    @ValueSource(strings = {"", " "})
    void shouldTakeAnEmptyParentForNoneAndNotForTheCurrentDirectory(String value) throws Exception {
        try (SegnoProcess segno =
                SegnoProcess.start(Map.of("SEGNO_DIR", value), "info", "--config", "--format", "csv")) {
            assertThat(segno.exitCode()).as(segno.error()).isZero();
            assertThat(segno.output()).anyMatch(line -> line.startsWith("dir,/dev/shm,default,"));
        }
    }

    private int clean(String... arguments) throws Exception {
        final String[] all = new String[arguments.length + 1];
        all[0] = "clean";
        System.arraycopy(arguments, 0, all, 1, arguments.length);
        return WatchedJob.look(parent, all).process().exitValue();
    }
}
