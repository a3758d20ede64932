package org.segno.transport.aeron;

import static java.util.Objects.requireNonNull;

import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.HashMap;
import java.util.Map;
import org.segno.engine.memory.NodeDimensions;
import org.segno.engine.memory.NodeFile;
import org.segno.engine.memory.NodeHeader;
import org.segno.link.IncomingLinks;
import org.segno.link.Link;
import org.segno.link.LinkState;
import org.segno.link.LinkedPeer;
import org.segno.link.Transport;
import org.segno.link.TransportJob;
import org.segno.link.TransportProvider;

/**
 * Links over Aeron between ranks of this process, by one driver and over the loopback interface. Links of a job that
 * has ended, if they have not failed, are those of the next one.
 */
public final class LoopbackTransport implements TransportProvider {
    /** Name of the transport. */
    static final String NAME = "loopback";

    private static final int MTU = 1408;

    private static final Map<Ends, AeronLink[]> LINKS = new HashMap<>();
    private static final Map<Ranks, Deque<AeronLink[]>> UNUSED = new HashMap<>();

    /** Two ranks, the lower one first. */
    private record Ranks(int low, int high) {}

    /** The ranks of a link of the job in a directory, and the engine of each. */
    private record Ends(Path job, Ranks ranks, int engine) {}

    /** The driver of this process. */
    private static final class Loopback {
        private static final AeronDriver DRIVER = AeronDriver.launch(Path.of("target"));

        static {
            Runtime.getRuntime().addShutdownHook(new Thread(DRIVER::close));
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
        return new Transport() {
            @Override
            public LinkedPeer connect(NodeHeader.Identity peer) {
                final NodeFile opened = NodeFile.open(job.nodeFile(peer.rank()), peer, job.size());
                return new LoopbackPeer(
                        job.directory(),
                        peer.rank(),
                        opened,
                        opened.mapAsPeer().layout().dimensions(),
                        job.incoming());
            }

            @Override
            public void close() {
                // Each peer is closed by its user.
            }
        };
    }

    private record LoopbackPeer(Path job, int rank, NodeFile file, NodeDimensions dimensions, IncomingLinks incoming)
            implements LinkedPeer {
        @Override
        public Link link(int node, int engine) {
            synchronized (LINKS) {
                final Ranks ranks = new Ranks(Math.min(node, rank), Math.max(node, rank));
                final Ends ends = new Ends(job, ranks, engine);
                AeronLink[] joined = LINKS.get(ends);
                if (joined == null) {
                    joined = unused(ranks);
                    LINKS.put(ends, joined);
                    incoming.made(rank, node, engine);
                }
                return joined[node == ranks.low ? 0 : 1];
            }
        }

        private static AeronLink[] unused(Ranks ranks) {
            final Deque<AeronLink[]> kept = UNUSED.computeIfAbsent(ranks, unknown -> new ArrayDeque<>());
            return kept.isEmpty()
                    ? LinkEnds.join(Loopback.DRIVER, Loopback.DRIVER, ranks.low, ranks.high, MTU)
                    : kept.remove();
        }

        @Override
        public void close() {
            synchronized (LINKS) {
                LINKS.entrySet().removeIf(entry -> {
                    final Ends ends = entry.getKey();
                    final boolean isMine = ends.job.equals(job) && (ends.ranks.low == rank || ends.ranks.high == rank);
                    if (isMine) {
                        keep(ends.ranks, entry.getValue());
                    }
                    return isMine;
                });
            }
            file.close();
        }

        private static void keep(Ranks ranks, AeronLink[] ends) {
            LinkEnds.drain(ends, Loopback.DRIVER);
            if (ends[0].state() == LinkState.UP && ends[1].state() == LinkState.UP) {
                requireNonNull(UNUSED.get(ranks)).add(ends);
            } else {
                ends[0].close();
                ends[1].close();
            }
        }
    }
}
