package org.segno.engine.job;

import java.io.DataInputStream;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.net.SocketTimeoutException;
import java.net.StandardSocketOptions;
import java.nio.ByteBuffer;
import java.nio.channels.SocketChannel;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.segno.status.Deadline;
import org.segno.status.SegnoException;

/** The call of a host's hub to the hub of the job. */
final class HubDial {
    private static final int ATTEMPT_MS = 2_000;
    private static final long PAUSE_NS = TimeUnit.MILLISECONDS.toNanos(20);

    private static final String OTHER_SECRET = "it does not know the job's secret";

    private HubDial() {}

    /**
     * Calls the addresses in turn, until a hub answers and both have proven that they know the secret.
     *
     * @return the connection; reading and writing it waits
     * @throws SegnoException after the timeout; the message has each address and what happened there
     */
    static SocketChannel call(List<InetSocketAddress> hubs, JobSecret secret, Duration timeout) {
        final long deadlineNs = Deadline.in(timeout.toNanos(), TimeUnit.NANOSECONDS);
        final Map<InetSocketAddress, String> tried = new LinkedHashMap<>();
        do {
            for (final InetSocketAddress hub : hubs) {
                final SocketChannel channel = call(hub, secret, deadlineNs, tried);
                if (channel != null) {
                    return channel;
                }
            }
            Platform.park(PAUSE_NS);
        } while (!Deadline.reached(deadlineNs));
        throw new SegnoException("the hub of the job does not answer this host within " + timeout.toMillis() + " ms: "
                + tried + "; " + remedy(tried));
    }

    private static String remedy(Map<InetSocketAddress, String> tried) {
        return tried.containsValue(OTHER_SECRET)
                ? "give all hosts the same secret (" + JobVariables.SECRET_FILE
                        + "), and each job an address of its own"
                : "is one of these an address of the launcher's host, or of rank 0, that this host reaches, and is the"
                        + " port open?";
    }

    private static @Nullable SocketChannel call(
            InetSocketAddress hub, JobSecret secret, long deadlineNs, Map<InetSocketAddress, String> tried) {
        @Nullable SocketChannel channel = null;
        boolean isProven = false;
        try {
            final int limitMs = (int)
                    Math.max(1, Math.min(ATTEMPT_MS, TimeUnit.NANOSECONDS.toMillis(Deadline.remaining(deadlineNs))));
            channel = SocketChannel.open();
            final Socket socket = channel.socket();
            socket.connect(hub, limitMs);
            socket.setSoTimeout(limitMs);
            channel.setOption(StandardSocketOptions.TCP_NODELAY, true);
            isProven = shakeHands(socket, secret);
            if (!isProven) {
                tried.put(hub, OTHER_SECRET);
            }
        } catch (final SocketTimeoutException e) {
            note(tried, hub, "no answer");
        } catch (final IOException | RuntimeException e) {
            note(tried, hub, String.valueOf(e.getMessage()));
        } finally {
            if (!isProven && channel != null) {
                close(channel);
            }
        }
        return isProven ? channel : null;
    }

    /** Notes what happened at an address. Another secret is the cause, even if that hub has ended meanwhile. */
    private static void note(Map<InetSocketAddress, String> tried, InetSocketAddress hub, String event) {
        if (!OTHER_SECRET.equals(tried.get(hub))) {
            tried.put(hub, event);
        }
    }

    private static boolean shakeHands(Socket socket, JobSecret secret) throws IOException {
        final byte[] number = HubHandshake.draw();
        socket.getOutputStream().write(HubHandshake.greeting(number).array());
        final ByteBuffer answer = ByteBuffer.allocate(HubHandshake.ANSWER_LENGTH);
        new DataInputStream(socket.getInputStream()).readFully(answer.array());
        if (!HubHandshake.isProven(secret, number, answer)) {
            return false;
        }
        socket.getOutputStream().write(HubHandshake.callersProof(secret, number, HubHandshake.hubsNumber(answer)));
        return true;
    }

    private static void close(SocketChannel channel) {
        try {
            channel.close();
        } catch (final IOException ignored) {
            // The channel needs no further action.
            return;
        }
    }
}
