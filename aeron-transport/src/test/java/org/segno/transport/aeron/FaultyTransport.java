package org.segno.transport.aeron;

import java.util.List;
import org.segno.link.Link;
import org.segno.link.Transport;
import org.segno.link.TransportJob;
import org.segno.link.TransportProvider;

/**
 * Links over Aeron between ranks of this process, over a network with faults. Whenever an engine has sent something,
 * the links run until it has been delivered: a job is settled when its engines have nothing to do.
 */
public final class FaultyTransport implements TransportProvider {
    /** Name of the transport. */
    public static final String NAME = "loopback-faulty";

    /** The links of this process. */
    private static final class Faulty {
        private static final AeronDriver DRIVER = LoopbackLinks.launch();
        private static final Network NETWORK = new Network(DRIVER);
        private static final LoopbackLinks LINKS = new LoopbackLinks(Faulty::join, NETWORK::settle);

        private static Link[] join(int low, int high) {
            final AeronLink[] ends =
                    NETWORK.join(DRIVER, DRIVER, low, high, LoopbackLinks.MTU, Faults.FEW, 11, List.of());
            return new Link[] {new SteppedLink(ends[0], NETWORK::settle), new SteppedLink(ends[1], NETWORK::settle)};
        }
    }

    /** Creates the transport, for {@link java.util.ServiceLoader}. */
    public FaultyTransport() {}

    @Override
    public String name() {
        return NAME;
    }

    @Override
    public Transport join(TransportJob job) {
        return Faulty.LINKS.in(job);
    }
}
