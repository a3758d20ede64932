package org.segno.tools.journal;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.segno.tools.SegnoProcess;
import org.segno.tools.journal.JournalEnd.State;

/** Journals on a small file system, mounted for the test. Mounting needs root; without it these tests are skipped. */
class SmallDeviceTest {
    private static final int RESERVE = 64;

    @TempDir
    Path parent;

    private boolean isMounted;

    @BeforeEach
    void requireRoot() {
        assumeTrue("root".equals(System.getProperty("user.name")), "only root can mount a small file system");
    }

    @AfterEach
    void unmount() throws Exception {
        if (isMounted) {
            assertThat(command("umount", "-l", parent.toString())).isZero();
        }
    }

    @Test
    @Tag("long")
    void shouldRefuseToStartWithoutTheReservedSpaceAndNameIt() throws Exception {
        mount(RESERVE - 1);

        try (SegnoProcess run = run(10)) {
            assertThat(run.exitCode()).isNotZero();
            assertThat(run.error())
                    .contains("cannot be created, choose another directory")
                    .containsPattern("has \\d+ bytes left, and " + (RESERVE << 20) + " must remain free");
        }
    }

    @Test
    @Tag("long")
    void shouldStopRecordingBeforeTheDeviceIsFullAndLetTheJobGoOn() throws Exception {
        // The queue's files are written in blocks of 4 MiB.
        mount(RESERVE + 32);

        try (SegnoProcess run = run(400_000)) {
            assertThat(run.exitCode()).as(run.error()).isZero();
            assertThat(run.error()).contains("the journal of rank", "has stopped", "must remain free");
        }
        assertThat(Files.getFileStore(parent).getUsableSpace()).isPositive();
        try (Journal journal = Journal.open(parent.resolve("journal"))) {
            long records = 0;
            while (journal.next() != null) {
                records++;
            }
            assertThat(records).isGreaterThan(10_000);
            assertThat(journal.ends()).extracting(JournalEnd::state).contains(State.OPEN);
            assertThat(journal.ends()).extracting(JournalEnd::state).doesNotContain(State.DAMAGED);
        }
    }

    private SegnoProcess run(long rounds) throws Exception {
        return SegnoProcess.startIn(
                parent,
                "run",
                "-n",
                "2",
                "--record",
                "all=" + parent.resolve("journal"),
                "-cp",
                System.getProperty("java.class.path"),
                RecordedRank.class.getName(),
                Long.toString(rounds));
    }

    private void mount(int megabytes) throws Exception {
        assertThat(command("mount", "-t", "tmpfs", "-o", "size=" + megabytes + "m", "segno-test", parent.toString()))
                .isZero();
        isMounted = true;
    }

    private static int command(String... words) throws Exception {
        return new ProcessBuilder(words).inheritIO().start().waitFor();
    }
}
