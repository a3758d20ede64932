package org.segno.node;

import java.util.HashMap;
import java.util.Map;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import org.segno.link.IncomingLinks;

/** Queues of the peers that have made links to the nodes of this process, one for each engine. Any thread. */
final class Callers implements IncomingLinks {
    private final Map<End, Queue<Integer>> queues = new HashMap<>();

    /** An engine of a rank. */
    private record End(int rank, int engine) {}

    @Override
    public void made(int node, int peer, int engine) {
        of(node, engine).add(peer);
    }

    /** Returns the queue of an engine, which takes from it. */
    synchronized Queue<Integer> of(int rank, int engine) {
        return queues.computeIfAbsent(new End(rank, engine), unknown -> new ConcurrentLinkedQueue<>());
    }
}
