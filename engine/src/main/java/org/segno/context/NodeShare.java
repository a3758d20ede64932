package org.segno.context;

import java.util.List;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.function.IntPredicate;
import java.util.function.Supplier;
import org.agrona.concurrent.IdleStrategy;
import org.jspecify.annotations.Nullable;
import org.segno.dispatch.ReplyingHandler;
import org.segno.geometry.Endpoint;
import org.segno.memory.NameDirectory;
import org.segno.memory.NodeMemory;
import org.segno.memory.PeerStates;
import org.segno.memory.Window;
import org.segno.memory.WindowArena;
import org.segno.metrics.ErrorLog;
import org.segno.metrics.NodeMetrics;
import org.segno.operation.DescriptorWriter;
import org.segno.operation.MessageLimits;
import org.segno.pattern.Holdings;
import org.segno.pattern.PatternBuffer;
import org.segno.work.Pass;
import org.segno.work.ThreadLevel;

/**
 * Interface between a node and its client: the state that the node passes to the client, and the calls by which it
 * opens and closes the client.
 *
 * @param node the node's own memory
 * @param peers memory by rank as mapped by this process, its own included
 * @param states the node's view of its peers
 * @param windows the node's arena
 * @param metrics the node's counts by context
 * @param errors the node's error log
 * @param engines the engine of each context; empty where engines have threads of their own
 * @param idle creates the strategy with which a context waits
 * @param threadLevel which threads use the contexts
 * @param processIsGone tests whether the process of a rank that died or left has ended
 * @param limits lengths up to which messages use each protocol
 */
public record NodeShare(
        NodeMemory node,
        List<NodeMemory> peers,
        PeerStates states,
        WindowArena windows,
        List<NodeMetrics> metrics,
        ErrorLog errors,
        List<Pass> engines,
        Supplier<IdleStrategy> idle,
        ThreadLevel threadLevel,
        IntPredicate processIsGone,
        MessageLimits limits) {
    NodeMetrics metrics(int context) {
        return metrics.get(context);
    }

    /** Returns the engine of a context, or null where it has a thread of its own. */
    @Nullable
    Pass engine(int context) {
        return engines.isEmpty() ? null : engines.get(context);
    }

    /** Creates the node's own client. Called once. */
    public Client openClient() {
        return new Clients(this).own();
    }

    /** Opens a client with an exclusive share of the resources that the node's {@code own} has left. Any thread. */
    public static Client openClient(
            Client own, String name, int contexts, int injections, int receptions, long windowBytes) {
        return own.all().open(name, contexts, injections, receptions, windowBytes);
    }

    /** Returns the lengths up to which messages of the client's node use each protocol. Any thread. */
    public static MessageLimits limits(Client client) {
        return client.all().limits();
    }

    /**
     * Checks that a window is open and belongs to the client's node; it may belong to any client of that node. Any
     * thread.
     */
    public static void requireOf(Client client, Window window) {
        window.requireOf(client.all().contexts()[0].node());
    }

    /**
     * Checks that a messenger can be opened: the context belongs to the client, has no messenger yet, and a FIFO is
     * left.
     *
     * @throws IllegalArgumentException if the context belongs to another node or client; the message names both
     * @throws IllegalStateException if the context has a messenger, or no FIFO is left; the message names the setting
     *     to raise
     */
    public static void requireMessenger(Client client, Context context) {
        final Context any = client.all().contexts()[0];
        final int number = client.share().number();
        if (!any.node().equals(context.node()) || Endpoint.client(context.endpoint()) != number) {
            throw new IllegalArgumentException(context.whose() + ": open its messenger with that client, not with "
                    + (number == 0 ? "the node's own client" : "client \"" + client.name() + "\"") + " of rank "
                    + any.rank());
        }
        context.requireOpen();
        context.reception.dispatch().requireNoAnnouncements();
        context.fifos.requireOneMore();
        context.fifos.openReplies();
    }

    /**
     * Registers {@code handler} for announcements of long messages to the context. Valid after
     * {@link #requireMessenger}.
     */
    public static void announcements(Context context, ReplyingHandler handler) {
        context.reception.dispatch().registerAnnouncements(handler);
    }

    /** Returns true unless another living thread was the last to advance a context of the node. Any thread. */
    public static boolean isFreeFor(Client client, Thread thread) {
        for (final Context context : client.all().contexts()) {
            if (!context.isFreeFor(thread)) {
                return false;
            }
        }
        return true;
    }

    /**
     * Returns true when the engine has carried out everything that was injected, recorded and replayed in all contexts
     * of the node.
     */
    public static boolean isDrained(Client client) {
        for (final Context context : client.all().contexts()) {
            if (!context.isDrained()) {
                return false;
            }
        }
        return true;
    }

    /**
     * Describes the work that is left, by context: the first descriptor of each FIFO and its target. For messages: it
     * allocates.
     */
    public static String standing(Client client) {
        final StringBuilder all = new StringBuilder();
        for (final Context context : client.all().contexts()) {
            if (!context.isDrained()) {
                all.append("; context ").append(Endpoint.context(context.endpoint()));
                all.append(context.fifos.standing());
                all.append(context.patterns.isDrained() ? "" : "; pending rounds of patterns");
            }
        }
        return all.toString();
    }

    /** Ends the progress threads of all contexts of the node. Any thread. */
    public static void endProgress(Client client) {
        for (final Context context : client.all().contexts()) {
            context.endProgress();
        }
    }

    /** Ends the waits of all contexts of the node, present and future, and their injection. Any thread. */
    public static void close(Client client, String reason) {
        for (final Context context : client.all().contexts()) {
            context.close(reason);
        }
    }

    /**
     * Returns the objects that patterns of a client can refer to. The caller must hold all contexts of the client.
     *
     * @throws org.segno.status.ClosedException if the node was closed
     * @throws IllegalStateException while a pattern is recorded
     */
    public static Holdings holdings(Client client) {
        final Clients.Share share = client.share();
        final Context first = client.all().contexts()[share.first()];
        first.requireOpen();
        final SortedMap<Integer, PatternBuffer> buffers = new TreeMap<>();
        for (int i = 0; i < share.count(); i++) {
            if (share.number() != 0 || client.all().isOwn(i)) {
                final Context context = client.all().contexts()[share.first() + i];
                context.requireNotRecording("saving or loading patterns");
                buffers.put(i, context.patterns);
            }
        }
        return new Holdings(
                share.name(),
                first.node().rank(),
                first.peers.length,
                share.windows(),
                share.counters().given(),
                buffers,
                new Known(first));
    }

    /**
     * View of other ranks through a client's first context.
     *
     * @param context the first one
     */
    private record Known(Context context) implements Holdings.Peers {
        @Override
        public NameDirectory.Entry find(int rank, String name, long deadlineNs) {
            return context.meeting.find(rank, name, deadlineNs);
        }

        @Override
        public int offset(int rank, int number) {
            context.requireRank(rank);
            final Homes homes = context.homes;
            final boolean own = homes.isKnown(rank)
                    && number >= homes.first(rank)
                    && number < homes.first(rank) + homes.count(rank);
            return own ? number - homes.first(rank) : -1;
        }

        @Override
        public int context(int rank, int offset, long deadlineNs) {
            context.meeting.awaitClient(rank, deadlineNs);
            return context.homes.context(rank, offset);
        }

        @Override
        public void requireContext(int rank, int number) {
            context.requireRank(rank);
            DescriptorWriter.requireContext(context.peers[rank], number);
        }
    }
}
