package org.segno.bench.udp;

import java.io.IOException;
import java.net.InetAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import org.segno.bench.experiment.LinkNetwork;
import org.segno.bench.experiment.Role;
import org.segno.bench.experiment.ServedSide;
import org.segno.bench.experiment.SharedText;

/**
 * One end of a link without an engine: the limit of what engines send over links. Datagrams are tagged and checked, and
 * all streams of a link are open and polled, because an engine needs them.
 */
public final class JoinedLink implements ServedSide.Server, AutoCloseable {
    private final LinkEnd end;

    private JoinedLink(LinkEnd end) {
        this.end = end;
    }

    /**
     * Opens the end of a role in the two workers of an experiment.
     *
     * @param mtu bytes of the longest datagram's payload
     * @param length bytes of each message
     */
    public static JoinedLink open(Role role, Path directory, LinkNetwork network, int mtu, int length)
            throws IOException {
        final Path files = Files.createDirectories(directory.resolve("link-" + role));
        final InetAddress host = InetAddress.getByName(network.address(role));
        final LinkEnd end = new LinkEnd(files, host, role.other().rank(), mtu, length);
        SharedText.write(directory.resolve("port-" + role), Integer.toString(end.port()));
        final String port = SharedText.await(directory.resolve("port-" + role.other()), end::run);
        end.connect(InetAddress.getByName(network.address(role.other())), Integer.parseInt(port));
        while (!end.isJoined()) {
            end.run();
        }
        return new JoinedLink(end);
    }

    LinkEnd end() {
        return end;
    }

    @Override
    public void serve() {
        end.run();
    }

    @Override
    public boolean isAtRest() {
        return true;
    }

    @Override
    public void close() {
        end.close();
    }
}
