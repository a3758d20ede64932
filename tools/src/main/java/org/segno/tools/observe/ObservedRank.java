package org.segno.tools.observe;

import java.nio.file.Path;
import org.jspecify.annotations.Nullable;
import org.segno.engine.memory.NodeHeader;
import org.segno.engine.memory.NodeHeader.Identity;
import org.segno.engine.memory.NodeMemory;
import org.segno.engine.memory.ObservedNode;

/** One rank of a job that is observed from outside: its mapped file and its process. */
public final class ObservedRank {
    private static final double NS_PER_MS = 1e6;

    private final int named;
    private final Path file;
    private final ObservedNode node;
    private final Identity identity;

    ObservedRank(int named, Path file, ObservedNode node) {
        this.named = named;
        this.file = file;
        this.node = node;
        this.identity = node.header().identity();
    }

    /** Returns the rank in the file's header. */
    public int rank() {
        return node.memory().rank();
    }

    /** Returns the rank in the file's name. It differs from {@link #rank} only if the file is damaged or renamed. */
    public int named() {
        return named;
    }

    /** Returns the path of its file: in the job's directory, or among the open files of a process. */
    Path file() {
        return file;
    }

    /** Returns the node's identity from its header. */
    public Identity identity() {
        return identity;
    }

    /** Returns the node's memory, mapped read-only. */
    public NodeMemory memory() {
        return node.memory();
    }

    /** Returns the header. */
    public NodeHeader header() {
        return node.header();
    }

    /** Returns the current state of its process. */
    ProcessStanding process() {
        return ProcessStanding.of(identity.pid(), identity.processStart());
    }

    /**
     * Returns the rank's state: {@code starting}, {@code runs}, {@code stopped}, {@code closed}, or {@code gone} if the
     * process ended without closing its node.
     */
    public String state() {
        final long state = node.header().stateAcquire();
        if (state == NodeHeader.CLOSED) {
            return "closed";
        }
        final ProcessStanding process = process();
        return process == ProcessStanding.RUNS && state == NodeHeader.MADE ? "starting" : process.toString();
    }

    /** Returns the milliseconds since its membership thread was last scheduled, or null if the process is gone. */
    public @Nullable Double heartbeatMs() {
        return process() == ProcessStanding.GONE
                ? null
                : (System.nanoTime() - node.header().heartbeatAcquire()) / NS_PER_MS;
    }
}
