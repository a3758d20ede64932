package org.segno.bench.udp;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.DatagramChannel;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(60)
class LossyNetworkTest {
    private final ByteBuffer received = ByteBuffer.allocate(Long.BYTES);

    @Test
    void shouldLoseOneDatagramOfTheSenderOnDemandAndPassOnAllOthersBothWays() throws IOException {
        try (DatagramChannel sender = open();
                DatagramChannel receiver = open();
                LossyNetwork network = new LossyNetwork(receiver.socket().getLocalPort())) {
            final SocketAddress front = new InetSocketAddress(InetAddress.getLoopbackAddress(), network.port());
            sender.send(number(1), front);
            final SocketAddress back = await(network, receiver, 1);

            network.loseNext();
            assertThat(network.hasLost()).isFalse();
            sender.send(number(2), front);
            sender.send(number(3), front);
            await(network, receiver, 3);
            assertThat(network.hasLost()).isTrue();

            network.loseNext();
            receiver.send(number(4), back);
            await(network, sender, 4);
            assertThat(network.hasLost()).isFalse();
        }
    }

    private static DatagramChannel open() throws IOException {
        final DatagramChannel channel =
                DatagramChannel.open().bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0));
        channel.configureBlocking(false);
        return channel;
    }

    private static ByteBuffer number(long value) {
        return ByteBuffer.allocate(Long.BYTES).putLong(0, value);
    }

    /** Runs the network until a datagram has arrived, checks its number, and returns its source. */
    private SocketAddress await(LossyNetwork network, DatagramChannel channel, long expected) throws IOException {
        SocketAddress source = null;
        while (source == null) {
            network.run();
            received.clear();
            source = channel.receive(received);
        }
        assertThat(received.getLong(0)).isEqualTo(expected);
        return source;
    }
}
