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
 * What a node hands to its client, and how it opens and ends it: what is between those two alone.
 *
 * @param node the node's own memory
 * @param peers memory by rank as this process has mapped it, its own among it
 * @param states what the node knows of its peers
 * @param windows the node's arena
 * @param metrics the node's counts by context
 * @param errors the node's error log
 * @param engines the engine of each context; empty where engines have threads of their own
 * @param idle makes the strategy with which a context waits
 * @param threadLevel which threads use the contexts
 * @param processIsGone tells of a rank that died or left whether its process has ended
 * @param limits up to which length messages travel how
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

    /** Makes the node's own client; once. */
    public Client openClient() {
        return new Clients(this).own();
    }

    /** Any thread: opens a client with an exclusive share of what the node's {@code own} has left. */
    public static Client openClient(
            Client own, String name, int contexts, int injections, int receptions, long windowBytes) {
        return own.all().open(name, contexts, injections, receptions, windowBytes);
    }

    /** Any thread: up to which length messages of the client's node travel how. */
    public static MessageLimits limits(Client client) {
        return client.all().limits();
    }

    /** Any thread: checks that a window is open and was made by the client's node, whichever of its clients. */
    public static void requireOf(Client client, Window window) {
        window.requireOf(client.all().contexts()[0].node());
    }

    /**
     * Checks that a messenger can be opened: the context is the client's, has none and a FIFO to spare.
     *
     * @throws IllegalArgumentException if it belongs to another node or client; names both
     * @throws IllegalStateException if it has a messenger, or no FIFO is left; says what to raise
     */
    public static void requireMessenger(Client client, Context context) {
        final Context any = client.all().contexts()[0];
        final int number = client.share().number();
        if (!any.node().equals(context.node()) || Endpoint.client(context.endpoint()) != number) {
            throw new IllegalArgumentException(context.whose() + ": open its messenger with that, not with "
                    + (number == 0 ? "the node's own client" : "client \"" + client.name() + "\"") + " of rank "
                    + any.rank());
        }
        context.requireOpen();
        context.reception.dispatch().requireNoAnnouncements();
        context.fifos.requireOneMore();
        context.fifos.openReplies();
    }

    /** From here on {@code handler} takes what announces long messages to the context; {@link #requireMessenger} allows it. */
    public static void announcements(Context context, ReplyingHandler handler) {
        context.reception.dispatch().registerAnnouncements(handler);
    }

    /** Any thread: true if no other living thread has been the last to advance a context of the node. */
    public static boolean isFreeFor(Client client, Thread thread) {
        for (final Context context : client.all().contexts()) {
            if (!context.isFreeFor(thread)) {
                return false;
            }
        }
        return true;
    }

    /** True when the engine has carried out everything that was injected, recorded and replayed in any context of the node. */
    public static boolean isDrained(Client client) {
        for (final Context context : client.all().contexts()) {
            if (!context.isDrained()) {
                return false;
            }
        }
        return true;
    }

    /** What of that is left, by context, in words: of each FIFO the first descriptor and for whom it is. For messages: it allocates. */
    public static String standing(Client client) {
        final StringBuilder all = new StringBuilder();
        for (final Context context : client.all().contexts()) {
            if (!context.isDrained()) {
                all.append("; context ").append(Endpoint.context(context.endpoint()));
                all.append(context.fifos.standing());
                all.append(context.patterns.isDrained() ? "" : "; rounds of patterns");
            }
        }
        return all.toString();
    }

    /** Any thread: ends the threads that advance contexts of the node by themselves. */
    public static void endProgress(Client client) {
        for (final Context context : client.all().contexts()) {
            context.endProgress();
        }
    }

    /** Any thread: ends the waits of all contexts of the node, now and later, and what they inject. */
    public static void close(Client client, String reason) {
        for (final Context context : client.all().contexts()) {
            context.close(reason);
        }
    }

    /**
     * What patterns of a client can name. The caller holds all of its contexts.
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
     * What a client's first context knows of other ranks.
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
