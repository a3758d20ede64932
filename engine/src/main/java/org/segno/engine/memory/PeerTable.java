package org.segno.engine.memory;

import java.util.List;
import java.util.function.IntFunction;
import org.jspecify.annotations.Nullable;

/**
 * The ranks of a job as one node knows them. Those that links reach are made when they are first named, so that a node
 * of a large job has only those with which it works. Any thread.
 */
public final class PeerTable {
    /** Number of ranks that {@link #near} has a place for. */
    private static final int NEAR = 64;

    /** The first ranks again: the type of the entries need not be checked at each message. */
    private final @Nullable Peer[] near;

    private final RankTable<Peer> known;
    private final List<Peer> mapped;
    private final IntFunction<Peer> source;

    /**
     * Creates the ranks of a job of {@code size}.
     *
     * @param mapped ranks with memory that this process has mapped, in ascending order; the node is one of them
     * @param source makes any other one
     */
    public PeerTable(int size, List<Peer> mapped, IntFunction<Peer> source) {
        this.near = new Peer[Math.min(size, NEAR)];
        this.known = new RankTable<>(size);
        this.mapped = List.copyOf(mapped);
        this.source = source;
        mapped.forEach(this::keep);
    }

    /** Returns the ranks of a job that are given by rank. */
    public static PeerTable of(List<Peer> all) {
        return new PeerTable(all.size(), all.stream().filter(Peer::isMapped).toList(), all::get);
    }

    /** Returns the number of ranks. */
    public int size() {
        return known.size();
    }

    /** Returns a rank, which is from 0 to below {@link #size}. */
    public Peer get(int rank) {
        final Peer peer = rank < near.length ? near[rank] : known.get(rank);
        return peer != null ? peer : make(rank);
    }

    private void keep(Peer peer) {
        known.set(peer.rank(), peer);
        if (peer.rank() < near.length) {
            near[peer.rank()] = peer;
        }
    }

    private synchronized Peer make(int rank) {
        final @Nullable Peer other = known.get(rank);
        if (other != null) {
            return other;
        }
        final Peer made = source.apply(rank);
        keep(made);
        return made;
    }

    /** Returns the ranks with memory that this process has mapped, in ascending order, with the node itself. */
    public List<Peer> mapped() {
        return mapped;
    }
}
