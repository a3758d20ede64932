package org.segno.tools.run.remote;

import java.io.FileDescriptor;
import java.io.FileInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import org.segno.engine.job.Platform;
import org.segno.tools.command.Terminal;
import org.segno.tools.run.channel.ChannelFrame;
import org.segno.tools.run.channel.ChannelFrame.Kind;

/**
 * The copy of this process's standard input to a rank on another host. The rank's agent acknowledges the bytes that the
 * rank has accepted, and at most {@link #WINDOW} bytes are unacknowledged, so that they cannot hold up an order to end.
 */
final class InputPump {
    private static final int WINDOW = 32 * 1024;
    private static final int CHUNK_LENGTH = 8 * 1024;
    private static final long BACKGROUND_PAUSE_NS = TimeUnit.MILLISECONDS.toNanos(100);

    /** Positions of the process group and of the terminal's process group, after the name in parentheses. */
    private static final int GROUP = 2;

    private static final int TERMINAL_GROUP = 5;

    private final HostChannel host;
    private final int rank;
    private final Semaphore credit = new Semaphore(WINDOW);

    InputPump(HostChannel host, int rank) {
        this.host = host;
        this.rank = rank;
    }

    void start() {
        final Thread thread = new Thread(this::run, "segno-input");
        thread.setDaemon(true);
        thread.start();
    }

    void taken(long count) {
        credit.release((int) Math.max(0, Math.min(count, WINDOW)));
    }

    private void run() {
        try (InputStream input = new FileInputStream(FileDescriptor.in)) {
            final byte[] chunk = new byte[CHUNK_LENGTH];
            awaitForeground();
            for (int length = input.read(chunk); length >= 0; length = input.read(chunk)) {
                credit.acquire(length);
                host.send(ChannelFrame.ofBytes(Kind.INPUT, rank, Arrays.copyOf(chunk, length)));
                awaitForeground();
            }
        } catch (final IOException ignored) {
            // As at the end of the input: there is no more.
        } catch (final InterruptedException e) {
            Thread.currentThread().interrupt();
        }
        host.send(ChannelFrame.of(Kind.INPUT, rank, 0));
    }

    /** Waits while this process is in the background of its terminal: the system stops a process that reads there. */
    private static void awaitForeground() throws InterruptedException {
        while (Terminal.standardInputIsTerminal() && isInBackground()) {
            Platform.park(BACKGROUND_PAUSE_NS);
            if (Thread.interrupted()) {
                throw new InterruptedException();
            }
        }
    }

    private static boolean isInBackground() {
        try {
            final String stat = Files.readString(Path.of("/proc/self/stat"));
            final String[] fields = stat.substring(stat.lastIndexOf(')') + 2).split(" ", -1);
            return !fields[GROUP].equals(fields[TERMINAL_GROUP]);
        } catch (final IOException ignored) {
            // Not Linux: the process reads, as any other does.
            return false;
        }
    }
}
