package org.segno.tools.run.channel;

import java.io.BufferedInputStream;
import java.io.BufferedOutputStream;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Lock;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/** One end of a channel. Several threads may send; one thread reads. */
public final class FrameChannel {
    private static final long HANG_UP_LIMIT_MS = 100;

    private final DataInputStream in;
    private final DataOutputStream out;
    private final Lock lock = new ReentrantLock();

    /** Guarded by the lock. */
    private boolean broken;

    /** Creates an end of a channel over two streams. */
    public FrameChannel(InputStream in, OutputStream out) {
        this.in = new DataInputStream(new BufferedInputStream(in));
        this.out = new DataOutputStream(new BufferedOutputStream(out));
    }

    /** Sends a frame at once. Has no effect once the other end is gone, which {@link #read} reports. */
    public void send(ChannelFrame frame) {
        lock.lock();
        try {
            if (!broken) {
                frame.write(out);
                out.flush();
            }
        } catch (final IOException ignored) {
            // The other end is gone. The bytes that it sent before are still to be read, and then the end.
            broken = true;
        } finally {
            lock.unlock();
        }
    }

    /** Lets the other end read the end of the channel, unless it has stopped reading within a frame. */
    public void hangUp() throws InterruptedException {
        if (!lock.tryLock(HANG_UP_LIMIT_MS, TimeUnit.MILLISECONDS)) {
            return;
        }
        try {
            broken = true;
            out.close();
        } catch (final IOException ignored) {
            // The other end is gone already.
            broken = true;
        } finally {
            lock.unlock();
        }
    }

    /**
     * Waits for a frame. Returns null at the end of the channel.
     *
     * @throws java.net.ProtocolException if the bytes are no frame.
     * @throws IOException if the channel ends within a frame.
     */
    public @Nullable ChannelFrame read() throws IOException {
        return ChannelFrame.read(in);
    }
}
