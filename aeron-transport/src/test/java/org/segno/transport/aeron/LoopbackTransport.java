package org.segno.transport.aeron;

import java.util.List;
import org.segno.link.Link;
import org.segno.link.Transport;
import org.segno.link.TransportJob;
import org.segno.link.TransportProvider;

/**
 * Links over Aeron between ranks of this process, by two drivers and over the loopback interface. What an engine has
 * sent arrives before the next one runs.
 */
public final class LoopbackTransport implements TransportProvider {
    /** Name of the transport. */
    public static final String NAME = "loopback";

    /** The links of this process. */
    private static final class Loopback {
        private static final List<AeronDriver> DRIVERS = List.of(LoopbackLinks.launch(), LoopbackLinks.launch());
        private static final LoopbackLinks LINKS = new LoopbackLinks(Loopback::join, Loopback::step);

        private static Link[] join(int low, int high) {
            final AeronLink[] ends = LinkEnds.join(DRIVERS.get(0), DRIVERS.get(1), low, high, LoopbackLinks.MTU);
            return new Link[] {new SteppedLink(ends[0], Loopback::step), new SteppedLink(ends[1], Loopback::step)};
        }

        private static void step() {
            LinkEnds.step(DRIVERS);
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
