package org.segno.contract;

import java.nio.file.Path;
import java.util.HashMap;
import java.util.Map;
import java.util.ServiceLoader;
import org.jspecify.annotations.Nullable;
import org.segno.engine.dma.EngineFixture;
import org.segno.engine.memory.NodeHeader;
import org.segno.link.Link;
import org.segno.link.LinkedPeer;
import org.segno.link.Transport;
import org.segno.link.TransportProvider;

/**
 * Links of a job of the contract: small ones of memory, or those of a transport, which is found as a node finds it. So
 * the suite runs over any transport whose provider is on the class path, if the property names it.
 */
final class ContractLinks implements EngineFixture.Links, AutoCloseable {
    /** Property with the name of the transport; without it, the links lie in memory. */
    static final String PROPERTY = "segno.contract.transport";

    private static final long MEMORY_QUIET_NS = 100_000;
    private static final long TRANSPORT_QUIET_NS = 3_000_000;

    /** A message of 1 KiB takes three packets. */
    private static final EngineFixture.Links MEMORY = EngineFixture.withLateReplies(2 * EngineFixture.SMALL_LINK);

    private final @Nullable Transport transport;
    private final Map<Integer, LinkedPeer> peers = new HashMap<>();

    private ContractLinks(@Nullable Transport transport) {
        this.transport = transport;
    }

    /** Maker of links between nodes with files in a directory. */
    @FunctionalInterface
    interface Source {
        ContractLinks in(Path directory);
    }

    /**
     * Returns the maker of the links of a transport, of memory if its name is empty.
     *
     * @throws IllegalArgumentException if the class path does not have it
     */
    static Source source(String transport) {
        if (transport.isEmpty()) {
            return directory -> new ContractLinks(null);
        }
        for (final TransportProvider provider : ServiceLoader.load(TransportProvider.class)) {
            if (provider.name().equals(transport)) {
                return directory -> new ContractLinks(provider.join(new ContractTransportJob(directory)));
            }
        }
        throw new IllegalArgumentException("no transport \"" + transport + "\" is on the class path");
    }

    /** Returns a time without work after which nothing is under way: no acknowledgement, and no repetition of a loss. */
    long quietNs() {
        return transport == null ? MEMORY_QUIET_NS : TRANSPORT_QUIET_NS;
    }

    @Override
    public Link[] join(int low, int high) {
        return join(low, high, 0);
    }

    @Override
    public Link[] join(int low, int high, int engine) {
        if (transport == null) {
            return MEMORY.join(low, high);
        }
        return new Link[] {
            peer(transport, high).link(low, engine), peer(transport, low).link(high, engine)
        };
    }

    private LinkedPeer peer(Transport reached, int rank) {
        return peers.computeIfAbsent(
                rank, unknown -> (LinkedPeer) reached.connect(new NodeHeader.Identity(1, 2, rank, 3, 4)));
    }

    @Override
    public void close() {
        peers.values().forEach(LinkedPeer::close);
        if (transport != null) {
            transport.close();
        }
    }
}
