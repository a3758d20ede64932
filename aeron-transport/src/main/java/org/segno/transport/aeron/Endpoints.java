package org.segno.transport.aeron;

import io.aeron.driver.DataPacketDispatcher;
import io.aeron.driver.MediaDriver;
import io.aeron.driver.ReceiveChannelEndpointSupplier;
import io.aeron.driver.SendChannelEndpointSupplier;
import io.aeron.driver.media.ReceiveChannelEndpoint;
import io.aeron.driver.media.SendChannelEndpoint;
import io.aeron.driver.media.UdpChannel;
import java.util.HashMap;
import java.util.Map;
import java.util.Objects;
import org.agrona.concurrent.status.AtomicCounter;
import org.jspecify.annotations.Nullable;

/**
 * Makes the sockets of a driver's links. The tag of a channel names the link for which Aeron makes a socket. Used
 * within turns of the driver.
 */
final class Endpoints implements ReceiveChannelEndpointSupplier, SendChannelEndpointSupplier {
    private final Map<Long, LinkAccess> expected = new HashMap<>();
    private @Nullable CheckedSender lastSender;
    private @Nullable DriverCounts counts;

    /** Sets the counts of the driver, before its first pass. */
    void counts(DriverCounts made) {
        counts = made;
    }

    /** Returns the counts of the driver. */
    DriverCounts counts() {
        return Objects.requireNonNull(counts, "counts");
    }

    /** Expects the socket of the channel with a tag. */
    void expect(long tag, LinkAccess access) {
        expected.put(tag, access);
    }

    /** Forgets what was expected, made or not. Returns the last socket for sending. */
    @Nullable
    CheckedSender made(long tag) {
        expected.remove(tag);
        final CheckedSender sender = lastSender;
        lastSender = null;
        return sender;
    }

    @Override
    public ReceiveChannelEndpoint newInstance(
            UdpChannel channel,
            DataPacketDispatcher dispatcher,
            AtomicCounter statusIndicator,
            MediaDriver.Context context) {
        return new CheckedReceiver(channel, dispatcher, statusIndicator, context, access(channel), counts());
    }

    @Override
    public SendChannelEndpoint newInstance(
            UdpChannel channel, AtomicCounter statusIndicator, MediaDriver.Context context) {
        final CheckedSender sender = new CheckedSender(channel, statusIndicator, context, access(channel), counts());
        lastSender = sender;
        return sender;
    }

    private LinkAccess access(UdpChannel channel) {
        final LinkAccess access = channel.hasTag() ? expected.get(channel.tag()) : null;
        if (access == null) {
            throw new IllegalStateException("no link has this channel: " + channel.originalUriString());
        }
        return access;
    }
}
