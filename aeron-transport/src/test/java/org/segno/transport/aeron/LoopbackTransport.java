package org.segno.transport.aeron;

import java.util.List;
import org.segno.link.Link;
import org.segno.link.Transport;
import org.segno.link.TransportJob;
import org.segno.link.TransportProvider;

/** Links over Aeron between ranks of this process, by one driver and over the loopback interface. */
public final class LoopbackTransport implements TransportProvider {
    /** Name of the transport. */
    static final String NAME = "loopback";

    /** The links of this process. */
    private static final class Loopback {
        private static final AeronDriver DRIVER = LoopbackLinks.launch();
        private static final LoopbackLinks LINKS =
                new LoopbackLinks(Loopback::join, () -> LinkEnds.step(List.of(DRIVER)));

        private static Link[] join(int low, int high) {
            return LinkEnds.join(DRIVER, DRIVER, low, high, LoopbackLinks.MTU);
        }
    }

    /** Creates the transport, for {@link java.util.ServiceLoader}. */
    public LoopbackTransport() {}

    @Override
    public String name() {
        return NAME;
    }

    @Override
    public Transport join(TransportJob job) {
        return Loopback.LINKS.in(job);
    }
}
