package org.segno.tools.observe;

import org.jspecify.annotations.Nullable;
import org.segno.memory.NodeHeader;
import org.segno.memory.NodeHeader.Identity;
import org.segno.memory.NodeMemory;
import org.segno.memory.ObservedNode;

/** One rank of a job as it is seen from outside: its mapped file and its process. */
public final class ObservedRank {
    private static final double NS_PER_MS = 1e6;

    private final int named;
    private final ObservedNode node;
    private final Identity identity;

    ObservedRank(int named, ObservedNode node) {
        this.named = named;
        this.node = node;
        this.identity = node.header().identity();
    }

    /** The rank, as the file's header says it. */
    public int rank() {
        return node.memory().rank();
    }

    /** The rank, as the file's name says it: the same, unless something is wrong. */
    public int named() {
        return named;
    }

    /** Who the node says it is. */
    public Identity identity() {
        return identity;
    }

    /** The node's memory, mapped read-only. */
    public NodeMemory memory() {
        return node.memory();
    }

    /** The header's view. */
    public NodeHeader header() {
        return node.header();
    }

    /** How its process stands now. */
    ProcessStanding process() {
        return ProcessStanding.of(identity.pid(), identity.processStart());
    }

    /** In one word: {@code starting}, {@code runs}, {@code stopped}, {@code closed}, or {@code gone} without goodbye. */
    public String state() {
        final long state = node.header().stateAcquire();
        if (state == NodeHeader.CLOSED) {
            return "closed";
        }
        final ProcessStanding process = process();
        return process == ProcessStanding.RUNS && state == NodeHeader.MADE ? "starting" : process.toString();
    }

    /** Milliseconds since its membership thread was scheduled last; null while the process is gone. */
    public @Nullable Double heartbeatMs() {
        return process() == ProcessStanding.GONE
                ? null
                : (System.nanoTime() - node.header().heartbeatAcquire()) / NS_PER_MS;
    }
}
