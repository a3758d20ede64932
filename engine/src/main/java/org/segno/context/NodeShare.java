package org.segno.context;

import java.util.List;
import java.util.function.IntPredicate;
import java.util.function.Supplier;
import org.agrona.concurrent.IdleStrategy;
import org.segno.engine.combine.UserOperators;
import org.segno.engine.doorbell.Doorbell;
import org.segno.engine.fifo.LinkedLanes;
import org.segno.engine.job.Inquiries;
import org.segno.engine.memory.NameLookups;
import org.segno.engine.memory.NodeMemory;
import org.segno.engine.memory.PeerStates;
import org.segno.engine.memory.PeerTable;
import org.segno.engine.metrics.ErrorLog;
import org.segno.engine.metrics.NodeMetrics;
import org.segno.engine.reuse.WindowArena;
import org.segno.engine.work.Pass;
import org.segno.operation.MessageLimits;
import org.segno.operation.ThreadLevel;

/**
 * State of a node that its clients use.
 *
 * @param node the node's own memory
 * @param peers the ranks of the job, the node itself included
 * @param names lookups of names of peers that are reached over links
 * @param lanes lanes from those peers
 * @param states the node's view of its peers
 * @param windows the node's arena
 * @param metrics the node's counts by context
 * @param errors the node's error log
 * @param engines the engine of each context; empty where engines have threads of their own
 * @param idle creates the strategy with which a context waits
 * @param doorbells doorbell of each context; empty where waits do not park at doorbells
 * @param threadLevel which threads use the contexts
 * @param processIsGone tests whether the process of a rank that died or left has ended
 * @param limits lengths up to which messages use each protocol
 * @param operators user operators of the node's engines
 * @param collectives settings of its geometries
 * @param inquiries requests for numbers of ranks in other processes
 */
public record NodeShare(
        NodeMemory node,
        PeerTable peers,
        NameLookups names,
        LinkedLanes lanes,
        PeerStates states,
        WindowArena windows,
        List<NodeMetrics> metrics,
        ErrorLog errors,
        List<Pass> engines,
        Supplier<IdleStrategy> idle,
        List<Doorbell> doorbells,
        ThreadLevel threadLevel,
        IntPredicate processIsGone,
        MessageLimits limits,
        UserOperators operators,
        CollectiveSettings collectives,
        Inquiries inquiries) {}
