package org.segno.transport.aeron;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import org.agrona.IoUtil;
import org.agrona.concurrent.NanoClock;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.segno.status.SegnoException;

/** Files of Aeron's driver. */
class AeronDriverTest {
    @TempDir
    Path parent;

    @Test
    void shouldDeleteItsFilesAtItsEnd() {
        final AeronDriver driver = AeronDriver.launch(parent);
        assertThat(driver.directory()).isDirectory().hasParent(parent);
        driver.close();

        assertThat(driver.errors()).isZero();
        assertThat(parent).isEmptyDirectory();
    }

    /** The thread that closes the driver owes a pass to the other one, when Aeron's memory is no longer mapped. */
    @Test
    @Timeout(60)
    void shouldTouchNoMemoryOfAClosedDriverInThePassThatItOwes() throws InterruptedException {
        final AtomicBoolean isClosed = new AtomicBoolean();
        for (int i = 0; i < 5; i++) {
            final AeronDriver driver = AeronDriver.launch(parent);
            isClosed.set(false);
            final Thread other = new Thread(() -> {
                while (!isClosed.get()) {
                    driver.run();
                }
            });
            other.start();
            driver.close();
            isClosed.set(true);
            other.join();

            assertThat(driver.errors()).isZero();
            assertThat(driver.isRunning()).isFalse();
        }
    }

    /** In each pass of a thread, another one calls the driver once. */
    @Test
    void shouldEndATurnAlthoughOthersCallTheDriverInEachPass() {
        final AtomicReference<AeronDriver> called = new AtomicReference<>();
        final AtomicInteger calls = new AtomicInteger();
        final NanoClock clock = () -> {
            // Each pass reads the clock. The call finds the turn taken, and leaves a pass to its holder.
            final AeronDriver busy = called.get();
            if (busy != null && calls.getAndIncrement() < 100_000) {
                assertThat(busy.run()).isZero();
            }
            return System.nanoTime();
        };
        try (AeronDriver driver = AeronDriver.launch(parent, clock)) {
            called.set(driver);
            final long before = driver.passes();
            driver.run();
            called.set(null);
            assertThat(driver.passes() - before).isBetween(2L, 500L);
            assertThat(driver.run()).isNotNegative();
        }
    }

    @Test
    void shouldEndWithoutAnErrorAfterTheHubHasRemovedItsFiles() {
        final AeronDriver driver = AeronDriver.launch(parent);
        IoUtil.delete(driver.directory().toFile(), false);
        driver.close();

        assertThat(driver.errors()).isZero();
        assertThat(parent).isEmptyDirectory();
    }

    /** The job ends between the look at its directory and the beginning of Aeron, which makes all parents again. */
    @Test
    void shouldLeaveNothingIfItsJobEndsWhileItBegins() throws IOException {
        final Path job = Files.createDirectory(parent.resolve("job"));
        final AtomicBoolean hasEnded = new AtomicBoolean();
        final NanoClock ending = () -> {
            // Read for the first time once the driver has made its directory.
            if (!hasEnded.getAndSet(true)) {
                IoUtil.delete(job.toFile(), true);
            }
            return System.nanoTime();
        };

        assertThatThrownBy(() -> AeronDriver.launch(job, ending))
                .isInstanceOf(SegnoException.class)
                .hasMessage("the job has ended: its directory is gone: " + job);
        assertThat(parent).isEmptyDirectory();
    }
}
