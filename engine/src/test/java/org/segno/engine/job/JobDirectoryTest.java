package org.segno.engine.job;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.segno.node.JobConfig;
import org.segno.node.NodeAccess;
import org.segno.status.SegnoException;

class JobDirectoryTest {
    @TempDir
    Path root;

    private Path parent;
    private JobConfig config;
    private Path path;

    @BeforeEach
    void setUp() throws IOException {
        parent = Files.createDirectory(root.resolve("shm"));
        config = JobConfig.of("test", 0, 2).withDirectory(parent);
        path = JobDirectory.pathOf(NodeAccess.settings(config));
    }

    /**
     * Replaces a directory by a new one of the same name, which may get the inode of the old one unless that is held
     * open.
     */
    @Test
    void shouldDistinguishADirectoryFromTheNextOneOfItsName() throws IOException {
        final Path directory = Files.createDirectory(parent.resolve("one"));
        for (int i = 0; i < 100; i++) {
            try (DirectoryStream<Path> opened = Files.newDirectoryStream(directory)) {
                assertThat(JobCleanup.isStill(directory, opened)).isTrue();
                Files.delete(directory);
                assertThatThrownBy(() -> JobCleanup.isStill(directory, opened)).isInstanceOf(NoSuchFileException.class);
                Files.createDirectory(directory);
                assertThat(JobCleanup.isStill(directory, opened)).isFalse();
            }
        }
        Files.delete(directory);
    }

    @Test
    void shouldBeNamedAfterUserAndJobAndSixteenDigits() {
        assertThat(path.getFileName().toString()).matches("segno-" + Platform.user() + "-test-[0-9a-f]{16}");
        assertThat(JobDirectory.pathOf(NodeAccess.settings(JobConfig.of("halo-0123456789abcdef", 0, 2)))
                        .toString())
                .isEqualTo("/dev/shm/segno-" + Platform.user() + "-halo-0123456789abcdef");
        assertThat(JobDirectory.pathOf(NodeAccess.settings(config.withRank(1)))).isEqualTo(path);
    }

    @Test
    void shouldBeForItsOwnerAloneAndCarryTheIdOfItsJob() throws IOException {
        try (JobDirectory directory = JobDirectory.create(NodeAccess.settings(config))) {
            assertThat(directory.path()).isEqualTo(path);
            assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(path)))
                    .isEqualTo("rwx------");
            assertThat(PosixFilePermissions.toString(
                            Files.getPosixFilePermissions(path.resolve(JobDirectory.JOB_FILE))))
                    .isEqualTo("rw-------");
            assertThat(path.resolve(JobDirectory.JOB_FILE))
                    .content()
                    .startsWith("segno-job 1\nid " + directory.id() + "\njob test\npid " + Platform.pid() + "\nstart ");
        }
        assertThat(parent).isEmptyDirectory();
    }

    @Test
    void shouldNotBeGivenTwiceInOneProcess() {
        try (JobDirectory directory = JobDirectory.create(NodeAccess.settings(config))) {
            assertThat(JobDirectory.tryCreate(NodeAccess.settings(config))).isEmpty();
            assertThatThrownBy(() -> JobDirectory.create(NodeAccess.settings(config)))
                    .isInstanceOf(SegnoException.class)
                    .hasMessageContaining("job test is already running")
                    .hasMessageContaining("SEGNO_JOB");
            assertThat(directory.path()).isDirectory();
        }
    }

    @Test
    void shouldTakeTheNodeFilesAlong() throws IOException {
        final JobDirectory directory = JobDirectory.create(NodeAccess.settings(config));
        Files.writeString(path.resolve("node-0"), "x");
        Files.writeString(path.resolve("node-1"), "x");

        directory.allMapped(false);
        directory.close();

        assertThat(parent).isEmptyDirectory();
    }

    @Test
    void shouldRemoveALinkAndNotItsTarget() throws IOException {
        final Path precious = Files.createDirectory(root.resolve("precious"));
        Files.writeString(precious.resolve("file"), "precious");
        final JobDirectory directory = JobDirectory.create(NodeAccess.settings(config));
        Files.createSymbolicLink(path.resolve("node-0"), precious);
        Files.createSymbolicLink(path.resolve("node-1"), precious.resolve("file"));

        directory.close();

        assertThat(parent).isEmptyDirectory();
        assertThat(precious.resolve("file")).hasContent("precious");
    }

    @Test
    void shouldSweepTheRestOfAProcessKilledWhileMakingOrRemovingADirectory() throws IOException {
        final Path made = privateDirectory(path + ".4711-0");
        Files.createFile(made.resolve(JobDirectory.JOB_FILE));
        privateDirectory(path + ".4711-1");
        final Path removed = privateDirectory(path + ".4711-2");
        Files.writeString(removed.resolve(JobDirectory.JOB_FILE), "segno-job 1\nid 0\n");
        Files.createFile(removed.resolve("node-3"));
        final Path cutByUmask = privateDirectory(path + ".4711-3");
        Files.setPosixFilePermissions(cutByUmask, PosixFilePermissions.fromString("rw-------"));

        assertThat(JobDirectory.sweep(parent)).isEqualTo(4);

        assertThat(parent).isEmptyDirectory();
    }

    /** Aeron makes its directory with all parents, even if the job has just ended. */
    @Test
    void shouldRemoveWhatATransportHasMadeAgainAtTheEndOfItsJobAndAtTheNextStart() throws IOException {
        for (final boolean isNextStart : new boolean[] {false, true}) {
            Files.createDirectories(path.resolve("aeron-1/images"));
            Files.createDirectories(path.resolve("aeron-2"));
            Files.writeString(path.resolve("aeron-1/cnc.dat"), "cnc");
            Files.writeString(path.resolve("node-2"), "of a rank that joined meanwhile");
            if (isNextStart) {
                JobDirectory.create(NodeAccess.settings(config)).close();
            } else {
                JobDirectory.removeRest(path);
            }
            assertThat(parent).isEmptyDirectory();
        }
        Files.createDirectories(path.resolve("aeron-1"));
        Files.writeString(path.resolve("precious"), "of somebody else");
        JobDirectory.removeRest(path);
        assertThat(path.resolve("aeron-1")).isDirectory();
    }

    @Test
    void shouldLeaveADirectoryThatIsNotInEveryPointItsOwn() throws IOException {
        final Path foreign = privateDirectory(path.toString());
        Files.writeString(foreign.resolve("file"), "precious");
        final Path otherMagic = privateDirectory(sibling("magic"));
        Files.writeString(otherMagic.resolve(JobDirectory.JOB_FILE), "something else");
        final Path open = Files.createDirectory(Path.of(sibling("open")));
        Files.setPosixFilePermissions(open, PosixFilePermissions.fromString("rwxr-xr-x"));
        Files.writeString(open.resolve(JobDirectory.JOB_FILE), "segno-job 1\nid 0\n");
        final Path target = privateDirectory(root.resolve("target").toString());
        Files.writeString(target.resolve(JobDirectory.JOB_FILE), "segno-job 1\nid 0\n");
        Files.createSymbolicLink(Path.of(sibling("link")), target);
        final Path linked = privateDirectory(sibling("linked"));
        Files.createSymbolicLink(linked.resolve(JobDirectory.JOB_FILE), target.resolve(JobDirectory.JOB_FILE));
        Files.writeString(Path.of(sibling("file")), "precious");

        assertThat(JobDirectory.sweep(parent)).isZero();

        assertThat(parent.toFile().list()).hasSize(6);
        assertThat(target.resolve(JobDirectory.JOB_FILE)).exists();
        assertThatThrownBy(() -> JobDirectory.create(NodeAccess.settings(config)))
                .isInstanceOf(SegnoException.class)
                .hasMessageContaining("is not a job directory of user " + Platform.user());
    }

    @Test
    void shouldKeepAMarkedDirectoryFromTheNextStart() throws IOException {
        final JobDirectory directory = JobDirectory.create(NodeAccess.settings(config.withKeep(true)));
        Files.writeString(path.resolve("node-0"), "x");
        directory.allMapped(false);
        directory.close();

        assertThat(JobDirectory.sweep(parent)).isZero();

        assertThat(path.resolve("node-0")).exists();
        assertThatThrownBy(() -> JobDirectory.create(NodeAccess.settings(config)))
                .isInstanceOf(SegnoException.class)
                .hasMessageContaining("kept");
    }

    @Test
    void shouldKeepTheDirectoryOfAStartThatFailedWhenConfigured() {
        JobDirectory.create(NodeAccess.settings(config.withKeep(true))).close();

        assertThat(path.resolve(JobDirectory.KEPT_FILE)).exists();
    }

    @Test
    void shouldNotRemoveItsSuccessorWhenItWasRemovedByHand() throws IOException {
        final JobDirectory first = JobDirectory.create(NodeAccess.settings(config));
        Files.delete(path.resolve(JobDirectory.JOB_FILE));
        Files.delete(path);
        final JobDirectory second = JobDirectory.create(NodeAccess.settings(config));

        first.close();

        assertThat(path.resolve(JobDirectory.JOB_FILE)).exists();
        second.close();
        assertThat(Files.exists(path, LinkOption.NOFOLLOW_LINKS)).isFalse();
    }

    @ParameterizedTest
    @CsvSource({"0777, true", "0733, true", "1777, false", "1733, false", "0775, false", "0700, false"})
    void shouldRefuseAParentThatEveryUserMayWriteWithoutTheStickyBit(String mode, boolean refused) throws IOException {
        Files.setAttribute(parent, "unix:mode", Integer.parseInt(mode, 8));
        if (!refused) {
            JobDirectory.create(NodeAccess.settings(config)).close();
            Membership.register(NodeAccess.settings(config), new IgnoringListener())
                    .goodbye(0);
            return;
        }
        final String message =
                parent + " may be written by every user and has no sticky bit (mode " + mode.substring(1) + ")";
        assertThatThrownBy(() -> JobDirectory.create(NodeAccess.settings(config)))
                .isInstanceOf(SegnoException.class)
                .hasMessageContainingAll(message, "chmod +t " + parent, "SEGNO_DIR");
        assertThatThrownBy(() -> Membership.register(NodeAccess.settings(config.withRank(1)), new IgnoringListener()))
                .isInstanceOf(SegnoException.class)
                .hasMessageContaining(message);
        assertThat(parent).isEmptyDirectory();
    }

    @Test
    void shouldRefuseAPathThatIsTooLongForASocketAndNameThePartToShorten() {
        final JobConfig deep = config.withDirectory(Path.of("/dev/shm/" + "d".repeat(80)));

        assertThatThrownBy(() -> JobDirectory.pathOf(NodeAccess.settings(deep)))
                .isInstanceOf(SegnoException.class)
                .hasMessageContaining("107")
                .hasMessageContaining("SEGNO_DIR")
                .hasMessageContaining("SEGNO_JOB");
    }

    private String sibling(String job) {
        return JobDirectory.pathOf(NodeAccess.settings(JobConfig.of(job, 0, 1).withDirectory(parent)))
                .toString();
    }

    private static Path privateDirectory(String path) throws IOException {
        return Files.createDirectory(
                Path.of(path), PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rwx------")));
    }
}
