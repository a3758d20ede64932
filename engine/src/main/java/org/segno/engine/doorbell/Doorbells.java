package org.segno.engine.doorbell;

import java.util.ArrayList;
import java.util.List;
import org.segno.engine.memory.NodeMemory;
import org.segno.engine.metrics.NodeMetrics;

/** The doorbells of a node's contexts, with their pipes. Made by its owner. Any thread may ring them. */
public final class Doorbells implements AutoCloseable {
    private final List<Doorbell> bells;
    private final List<WakePipe> pipes;
    private boolean closed;

    private Doorbells(List<Doorbell> bells, List<WakePipe> pipes) {
        this.bells = bells;
        this.pipes = pipes;
    }

    /** Returns no doorbells: waits of the node do not park, or not at doorbells. */
    public static Doorbells none() {
        return new Doorbells(List.of(), List.of());
    }

    /**
     * Makes the doorbells of a node and publishes them in its file. Called before any peer maps the file. Without
     * {@code /proc}, or at the limit of open files, there are none.
     */
    public static Doorbells make(NodeMemory node) {
        final List<Doorbell> bells = new ArrayList<>();
        final List<WakePipe> pipes = new ArrayList<>();
        for (int context = 0; context < node.layout().dimensions().contexts(); context++) {
            final WakePipe pipe = WakePipe.take();
            if (pipe == null) {
                pipes.forEach(WakePipe::giveBack);
                return none();
            }
            pipes.add(pipe);
        }
        for (int context = 0; context < pipes.size(); context++) {
            final WakePipe pipe = pipes.get(context);
            final DoorbellRecord record = new DoorbellRecord(node, context);
            record.pipe(pipe.inode(), pipe.descriptor());
            bells.add(new Doorbell(record, pipe, new NodeMetrics(node, context)));
        }
        return new Doorbells(bells, pipes);
    }

    /** Returns the doorbells by context; empty if there are none. */
    public List<Doorbell> byContext() {
        return bells;
    }

    /** Withdraws the doorbells before the first wait: the node's waits do not park after all. */
    public void withdraw() {
        bells.forEach(Doorbell::withdraw);
        close();
    }

    /** Wakes all waiters of the node. */
    public void ring() {
        for (int context = 0; context < bells.size(); context++) {
            bells.get(context).ring();
        }
    }

    /** Releases the pipes. Called when no thread waits any more. May be called twice. */
    @Override
    public synchronized void close() {
        if (!closed) {
            closed = true;
            for (int context = 0; context < pipes.size(); context++) {
                // A thread that is still parked here would consume the rings of the next user.
                if (!bells.get(context).isTaken()) {
                    WakePipe.giveBack(pipes.get(context));
                }
            }
        }
    }
}
