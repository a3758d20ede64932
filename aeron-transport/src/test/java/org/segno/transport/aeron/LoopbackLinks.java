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

/** Links between ranks of this process. The next job uses those of a job that has ended, if they have not failed. */
final class LoopbackLinks {
    static final int MTU = 1408;

    private final Map<Ends, Link[]> links = new HashMap<>();
    private final Map<Ranks, Deque<Link[]>> unused = new HashMap<>();
    private final Joiner joiner;
    private final Runnable step;

    /**
     * Creates links.
     *
     * @param joiner of two ranks
     * @param step that passes on what the links have sent
     */
    LoopbackLinks(Joiner joiner, Runnable step) {
        this.joiner = joiner;
        this.step = step;
    }

    /** Joins two ranks. */
    @FunctionalInterface
    interface Joiner {
        /** Returns the ends of a new link, first that of the lower rank. */
        Link[] join(int low, int high);
    }

    /** Two ranks, the lower one first. */
    private record Ranks(int low, int high) {}

    /** The ranks of a link of the job in a directory, and the engine of each. */
    private record Ends(Path job, Ranks ranks, int engine) {}

    /** Starts a driver that is closed with this process. */
    static AeronDriver launch() {
        final AeronDriver driver = AeronDriver.launch(Path.of("target"));
        Runtime.getRuntime().addShutdownHook(new Thread(driver::close));
        return driver;
    }

    /** Returns the links of a job. */
    Transport in(TransportJob job) {
        return new Transport() {
            @Override
            public LinkedPeer connect(NodeHeader.Identity peer) {
                final NodeFile opened = NodeFile.open(job.nodeFile(peer.rank()), peer, job.size());
                return new LoopbackPeer(
                        LoopbackLinks.this,
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

    private synchronized Link link(Ends ends, boolean isLow, IncomingLinks incoming, int rank, int node) {
        Link[] joined = links.get(ends);
        if (joined == null) {
            final Deque<Link[]> kept = unused.computeIfAbsent(ends.ranks, unknown -> new ArrayDeque<>());
            joined = kept.isEmpty() ? joiner.join(ends.ranks.low, ends.ranks.high) : kept.remove();
            links.put(ends, joined);
            incoming.made(rank, node, ends.engine);
        }
        return joined[isLow ? 0 : 1];
    }

    private synchronized void release(Path job, int rank) {
        links.entrySet().removeIf(entry -> {
            final Ends ends = entry.getKey();
            final boolean isOfRank = ends.job.equals(job) && (ends.ranks.low == rank || ends.ranks.high == rank);
            if (isOfRank) {
                keep(ends.ranks, entry.getValue());
            }
            return isOfRank;
        });
    }

    private void keep(Ranks ranks, Link[] ends) {
        LinkEnds.drain(ends, step);
        if (ends[0].state() == LinkState.UP && ends[1].state() == LinkState.UP) {
            requireNonNull(unused.get(ranks)).add(ends);
        } else {
            ends[0].close();
            ends[1].close();
        }
    }

    private record LoopbackPeer(
            LoopbackLinks links, Path job, int rank, NodeFile file, NodeDimensions dimensions, IncomingLinks incoming)
            implements LinkedPeer {
        @Override
        public Link link(int node, int engine) {
            final Ranks ranks = new Ranks(Math.min(node, rank), Math.max(node, rank));
            return links.link(new Ends(job, ranks, engine), node == ranks.low, incoming, rank, node);
        }

        @Override
        public void close() {
            links.release(job, rank);
            file.close();
        }
    }
}
