package org.segno.tools.run.agent;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.segno.tools.run.channel.ChannelFrame;
import org.segno.tools.run.channel.ChannelFrame.Kind;
import org.segno.tools.run.channel.FrameChannel;

/** The copies between the streams of the ranks and the channel. One daemon thread per stream copies. */
final class RankPipes {
    private static final int CHUNK_LENGTH = 16 * 1024;

    /** Time for the last output. A daemon that a rank has left behind may hold the rank's pipe open. */
    private static final long OUTPUT_LIMIT_MS = 2_000;

    private final FrameChannel channel;
    private final List<Thread> outputs = new ArrayList<>();
    private final BlockingQueue<byte[]> input = new LinkedBlockingQueue<>();

    RankPipes(FrameChannel channel) {
        this.channel = channel;
    }

    /** Starts to copy an output stream of a rank, in frames of a kind. */
    void startOutput(Kind kind, int rank, InputStream source) {
        outputs.add(start("segno-output-" + rank, () -> copyOutput(kind, rank, source)));
    }

    private static Thread start(String name, Runnable copy) {
        final Thread thread = new Thread(copy, name);
        thread.setDaemon(true);
        thread.start();
        return thread;
    }

    private void copyOutput(Kind kind, int rank, InputStream source) {
        final byte[] chunk = new byte[CHUNK_LENGTH];
        try (source) {
            for (int length = source.read(chunk); length >= 0; length = source.read(chunk)) {
                if (length > 0) {
                    channel.send(ChannelFrame.ofBytes(kind, rank, Arrays.copyOf(chunk, length)));
                }
            }
        } catch (final IOException ignored) {
            // The rank was killed while its pipe was read. The received bytes are sent, as at a regular end.
        }
        channel.send(ChannelFrame.of(kind, rank, 0));
    }

    /** Adds bytes for the rank that reads standard input; none at the end. The launcher limits their number. */
    void addInput(byte[] bytes) {
        input.add(bytes);
    }

    /** Starts to copy the added bytes to the rank, and to acknowledge them. */
    void startInput(int rank, OutputStream target) {
        start("segno-input-" + rank, () -> copyInput(rank, target));
    }

    private void copyInput(int rank, OutputStream target) {
        try (target) {
            for (byte[] bytes = input.take(); bytes.length > 0; bytes = input.take()) {
                target.write(bytes);
                target.flush();
                channel.send(ChannelFrame.of(Kind.TAKEN, rank, bytes.length));
            }
        } catch (final IOException ignored) {
            // The rank reads no more. Without acknowledgement the launcher sends no more.
        } catch (final InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    /** Waits a short time for the last output. */
    void finish() throws InterruptedException {
        final long deadlineNs = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(OUTPUT_LIMIT_MS);
        for (final Thread thread : outputs) {
            thread.join(Math.max(1, TimeUnit.NANOSECONDS.toMillis(deadlineNs - System.nanoTime())));
        }
    }
}
