package org.segno.transport.aeron;

import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;
import org.segno.link.Link;
import org.segno.link.Transport;
import org.segno.link.TransportJob;
import org.segno.link.TransportProvider;

/**
 * Links over Aeron between ranks of this process, by two drivers and over a network with faults, of which each job has
 * others than the one before. Whenever an engine has sent something, the links run until it has been delivered: a job
 * is settled when its engines have nothing to do.
 */
public final class FaultyTransport implements TransportProvider {
    /** Joins after which the faults change: about those of a job. */
    private static final int RANKS = 2;

    /** Name of the transport. */
    public static final String NAME = "loopback-faulty";

    /** The links of this process. */
    private static final class Faulty {
        /**
         * Links are at rest between two flushes: what waits for others, or for a heartbeat after further losses, takes
         * long. FaultyNetworkTest has streams with more of both.
         */
        private static final List<Faults> FAULTS = IntStream.of(5, 20, 100)
                .mapToObj(lost -> new Faults(lost, 5, 20, 2, 5))
                .toList();

        private static final AeronDriver LOW = LoopbackLinks.launch();
        private static final AeronDriver HIGH = LoopbackLinks.launch();
        private static final Network NETWORK = new Network(LOW, HIGH);
        private static final LoopbackLinks LINKS = new LoopbackLinks(Faulty::join, NETWORK::settle);
        private static final AtomicInteger JOINS = new AtomicInteger();

        private static Link[] join(int low, int high) {
            final List<UdpProxy> others = NETWORK.proxies();
            final List<byte[]> old =
                    others.isEmpty() ? List.of() : List.copyOf(others.get(0).keptOnward());
            final AeronLink[] ends =
                    NETWORK.join(LOW, HIGH, low, high, LoopbackLinks.MTU, faults(), 11 + others.size(), old);
            return new Link[] {new SteppedLink(ends[0], NETWORK::settle), new SteppedLink(ends[1], NETWORK::settle)};
        }

        private static Faults faults() {
            return FAULTS.get(JOINS.get() / RANKS % FAULTS.size());
        }

        private static Transport join(TransportJob job) {
            JOINS.incrementAndGet();
            NETWORK.set(faults());
            return LINKS.in(job);
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
        return Faulty.join(job);
    }
}
