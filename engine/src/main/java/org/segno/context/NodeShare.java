package org.segno.context;

import java.util.List;
import java.util.function.IntPredicate;
import java.util.function.Supplier;
import org.agrona.concurrent.AgentInvoker;
import org.agrona.concurrent.IdleStrategy;
import org.jspecify.annotations.Nullable;
import org.segno.memory.NodeMemory;
import org.segno.memory.PeerStates;
import org.segno.memory.WindowArena;
import org.segno.metrics.ErrorLog;
import org.segno.metrics.NodeMetrics;
import org.segno.work.ThreadLevel;

/**
 * What a node hands to its client, and how it opens and ends it: what is between those two alone.
 *
 * @param node the node's own memory
 * @param peers memory by rank as this process has mapped it, its own among it
 * @param states what the node knows of its peers
 * @param windows the node's arena
 * @param metrics the node's counts by context
 * @param errors the node's error log
 * @param invokers run one pass of the engine of each context; empty where engines have threads of their own
 * @param idle makes the strategy with which a context waits
 * @param threadLevel which threads use the contexts
 * @param processIsGone tells of a rank that died or left whether its process has ended
 */
public record NodeShare(
        NodeMemory node,
        List<NodeMemory> peers,
        PeerStates states,
        WindowArena windows,
        List<NodeMetrics> metrics,
        ErrorLog errors,
        List<AgentInvoker> invokers,
        Supplier<IdleStrategy> idle,
        ThreadLevel threadLevel,
        IntPredicate processIsGone) {
    NodeMetrics metrics(int context) {
        return metrics.get(context);
    }

    /** Runs the engine of a context, or null. */
    @Nullable
    AgentInvoker invoker(int context) {
        return invokers.isEmpty() ? null : invokers.get(context);
    }

    /** Makes the client of the node; once. */
    public Client openClient() {
        return new Client(this);
    }

    /** Any thread: true if no other living thread has been the last to advance a context of the client. */
    public static boolean isFreeFor(Client client, Thread thread) {
        return client.isFreeFor(thread);
    }

    /** Any thread: ends the threads that advance contexts of the client by themselves. */
    public static void endProgress(Client client) {
        client.endProgress();
    }

    /** Any thread: ends the waits of all contexts, now and later, and what they inject. */
    public static void close(Client client, String reason) {
        client.close(reason);
    }
}
