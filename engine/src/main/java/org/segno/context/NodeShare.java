package org.segno.context;

import java.util.List;
import java.util.function.Supplier;
import org.agrona.concurrent.AgentInvoker;
import org.agrona.concurrent.IdleStrategy;
import org.jspecify.annotations.Nullable;
import org.segno.memory.NodeMemory;
import org.segno.memory.PeerStates;
import org.segno.memory.WindowArena;
import org.segno.metrics.ErrorLog;
import org.segno.metrics.NodeMetrics;

/**
 * What a node hands to its client.
 *
 * @param node the node's own memory
 * @param peers memory by rank as this process has mapped it, its own among it
 * @param states what the node knows of its peers
 * @param windows the node's arena
 * @param metrics the node's counts
 * @param errors the node's error log
 * @param invoker runs one pass of the engine, or null where the engine has its own thread
 * @param idle makes the strategy with which a context waits
 */
public record NodeShare(
        NodeMemory node,
        List<NodeMemory> peers,
        PeerStates states,
        WindowArena windows,
        NodeMetrics metrics,
        ErrorLog errors,
        @Nullable AgentInvoker invoker,
        Supplier<IdleStrategy> idle) {}
