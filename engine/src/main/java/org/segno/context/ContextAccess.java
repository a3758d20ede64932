package org.segno.context;

import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.SortedMap;
import java.util.StringJoiner;
import java.util.TreeMap;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.segno.engine.counter.Senders;
import org.segno.engine.descriptor.Descriptor;
import org.segno.engine.fifo.FifoMetadata;
import org.segno.engine.job.Inquiries;
import org.segno.engine.memory.NameDirectory;
import org.segno.engine.memory.NodeMemory;
import org.segno.engine.writer.DescriptorWriter;
import org.segno.geometry.Endpoint;
import org.segno.memory.Closing;
import org.segno.memory.CounterPair;
import org.segno.memory.MemoryAccess;
import org.segno.memory.Target;
import org.segno.memory.Window;
import org.segno.operation.Message;
import org.segno.operation.MessageLimits;
import org.segno.operation.OperationAccess;
import org.segno.operation.ReplyingHandler;
import org.segno.pattern.Pattern;
import org.segno.pattern.PatternAccess;
import org.segno.pattern.PatternBuffer;
import org.segno.pattern.PatternResources;
import org.segno.status.ClosedException;
import org.segno.status.Refusal;
import org.segno.status.RefusedException;
import org.segno.status.SegnoException;

/**
 * Functions of clients and contexts for the packages of the library itself. Applications do not call them.
 */
public final class ContextAccess {
    private ContextAccess() {}

    /** Creates the node's own client, which initially has all resources. Called once for a node. */
    public static Client openOwnClient(NodeShare share) {
        final ClientRegistry registry = new ClientRegistry(share);
        return new Client(registry, registry.own(), null);
    }

    /** Opens a client with an exclusive share of the resources that the node's {@code own} has left. Any thread. */
    public static Client openClient(Client own, ClientRequest request) {
        final ClientRegistry registry = own.registry();
        return new Client(registry, registry.open(request), own);
    }

    /**
     * Share that a client requests.
     *
     * @param name name of the client
     * @param contexts number of contexts
     * @param injectionCounters number of injection counters
     * @param receptionCounters number of reception counters
     * @param windowBytes memory for windows
     * @param tasks ranks that take part; empty for all
     */
    @SuppressWarnings("ArrayRecordComponent") // Passed once, never compared.
    public record ClientRequest(
            String name, int contexts, int injectionCounters, int receptionCounters, long windowBytes, int[] tasks) {}

    /** Returns the lengths up to which messages of the client's node use each protocol. Any thread. */
    public static MessageLimits limits(Client client) {
        return client.registry().limits();
    }

    /**
     * Checks that a window is open and belongs to the client's node; it may belong to any client of that node. Any
     * thread.
     */
    public static void requireOf(Client client, Window window) {
        MemoryAccess.requireOf(window, client.registry().node());
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
        final NodeMemory node = client.registry().node();
        final int number = client.share().number();
        if (!node.equals(context.node()) || Endpoint.client(context.endpoint()) != number) {
            throw new IllegalArgumentException(owner(context) + ": open its messenger with that client, not with "
                    + client.share().title() + " of rank " + node.rank());
        }
        context.sinks().requireOpen();
        context.reception().dispatch().requireNoAnnouncements();
        context.fifos().requireOneMore();
        context.fifos().openReplies();
    }

    /**
     * Checks that a context belongs to the client.
     *
     * @throws IllegalArgumentException if it belongs to another node or client; the message names both
     */
    public static void requireOf(Client client, Context context) {
        final NodeMemory node = client.registry().node();
        if (!node.equals(context.node())
                || Endpoint.client(context.endpoint()) != client.share().number()) {
            throw new IllegalArgumentException(owner(context) + ": use a context of "
                    + client.share().title() + " of rank " + node.rank() + ", as returned by its Client.context");
        }
    }

    /** Describes the number, rank and client of a context, for messages. */
    private static String owner(Context context) {
        return "context " + Endpoint.context(context.endpoint()) + " of rank " + context.rank() + " belongs to "
                + context.contexts().client();
    }

    /**
     * Checks that two contexts belong to the same client.
     *
     * @throws IllegalArgumentException if they do not; the message names both
     */
    public static void requireSameClient(Context one, Context other) {
        if (!one.node().equals(other.node()) || Endpoint.client(one.endpoint()) != Endpoint.client(other.endpoint())) {
            throw new IllegalArgumentException(
                    owner(one) + ", " + owner(other) + ": use contexts of one client, as returned by Client.context");
        }
    }

    /** Checks that neither a handler nor posted work of the context runs, within which nothing can wait. */
    public static void requireOutsidePass(Context context) {
        context.sinks().requireOutsidePass();
    }

    /** Checks that no handler, posted work, recording or batch prevents waits now; {@code what} needs one. */
    public static void requireMayWait(Context context, String what) {
        context.sinks().requireOutsidePass();
        context.sinks().requireMayWait(what);
    }

    /** Returns true if the calling thread runs a handler or posted work of the context. */
    public static boolean isInPass(Context context) {
        return context.passes().isInPass();
    }

    /** Returns the lowest rank on this host. This rank has mapped the memory of all ranks there. */
    public static int host(Context context) {
        return context.host();
    }

    /** Returns true if an operator is registered under the number, and declares that it is commutative. */
    public static boolean isCommutative(Client client, int operator) {
        return client.registry().operators().isCommutative(operator);
    }

    /** Describes a target by its number, its owner, and the name under which it is published, for messages. */
    public static String describe(Context context, Target target) {
        return context.ranges().describe(target);
    }

    /** Checks that the context is open; throws {@link org.segno.status.ClosedException} with the reason otherwise. */
    public static void requireOpen(Context context) {
        context.sinks().requireOpen();
    }

    /** Returns the exception of every use after the context's client was closed; null while it is open. */
    public static @Nullable ClosedException closedReason(Context context) {
        final String reason = context.sinks().closedReason();
        return reason == null ? null : SinkSelector.closed(reason);
    }

    /** Returns true once work was posted to a context. */
    public static boolean hasPosted(Context context) {
        return context.passes().work().isUsed();
    }

    /** Makes one pass of the engine, and calls no handler, if the application's threads run the engine. */
    public static void runEngine(Context context) {
        context.passes().runEngine();
    }

    /** Waits until the injection FIFO of the context has room, whichever rank dies. Throws as the other waits. */
    public static void awaitRoom(Context context, long deadlineNs) {
        context.await(new Condition.Room(context.fifo()), deadlineNs);
    }

    /** Waits until {@link Context#isCarriedOut}, whichever rank dies. Throws as the other waits. */
    public static void awaitCarriedOut(Context context, long position, long deadlineNs) {
        context.await(new Condition.CarriedOut(context, position), deadlineNs);
    }

    /**
     * Marks the engine that runs in the passes of the context as resting until the next pass, as a parking wait does.
     */
    public static void rest(Context context) {
        context.passes().rest();
    }

    /**
     * Starts the next round of a pattern, as {@link Context#replay(Pattern)} does, and waits until that is possible.
     *
     * @param subject describes the round in messages
     * @return the round
     * @throws SegnoException as the replay and the waits of a context
     */
    public static long start(Context context, Pattern pattern, Object subject, long deadlineNs) {
        final long round = context.replay(pattern);
        if (round >= 0) {
            return round;
        }
        final Condition.Started started = new Condition.Started(context, pattern, subject);
        context.await(started, deadlineNs);
        return started.round();
    }

    /**
     * Starts the next round of a pattern, as {@link Context#replay(Pattern)} does. The caller awaits it unless
     * {@link #isOver} returns true. Called outside a pass.
     */
    public static long begin(Context context, Pattern pattern) {
        return context.replays().begin(pattern);
    }

    /** Returns true if the round that {@link #begin} has started was executed at once, and is complete. */
    public static boolean isOver(Context context, Pattern pattern) {
        return context.replays().isOver(pattern);
    }

    /** Checks that neither a handler, a recording nor the close of the context prevents starts of a pattern now. */
    public static void requireMayStart(Context context, Pattern pattern) {
        context.replays().requirePossible(pattern);
    }

    /**
     * Returns true if {@link Context#replay(Pattern, long)} would start this round now.
     *
     * @throws RuntimeException as the replay
     */
    public static boolean mayReplay(Context context, Pattern pattern, long generation) {
        return context.patterns().mayReplay(pattern, generation);
    }

    /** Returns the requests of the client's node for numbers of ranks in other processes. Any thread. */
    public static Inquiries inquiries(Client client) {
        return client.registry().inquiries();
    }

    /** Returns the settings of the geometries of the client's node. Any thread. */
    public static CollectiveSettings collectives(Client client) {
        return client.registry().collectives();
    }

    /**
     * Opens a counter pair over memory in the lines of its values.
     *
     * @param length of each range, at most {@link org.segno.engine.memory.NodeLayout#COUNTER_MEMORY_LENGTH}
     */
    public static CounterPair counterPairInLines(Client client, int length, int[] ranks) {
        return client.counterPairInLines(length, ranks);
    }

    /**
     * Expects bytes in every round of the pattern that is being prepared, at a pair that nothing else uses. Its values
     * fall for ever: see {@link org.segno.pattern.Recorder#expectCumulative}.
     */
    public static void expectCumulative(Context context, CounterPair pair, long bytes) {
        context.recordings().expectCumulative(pair, bytes);
    }

    /**
     * Expects bytes in every round of the pattern that is being prepared, at a pair that nothing else uses, without
     * ARMs and WAITs: see {@link PatternAccess#expectUnarmed}.
     */
    public static void expectUnarmed(Context context, CounterPair pair, long bytes) {
        context.recordings().expectUnarmed(pair, bytes);
    }

    /** Returns the number of counter pairs that a client can open. Any thread. */
    public static long freePairs(Client client) {
        return client.freePairs();
    }

    /** Returns the number of windows that the clients of a node can open together. Any thread. */
    public static long freeWindows(Client client) {
        return client.freeWindows();
    }

    /**
     * Closes a pair once the engine has executed the last round that uses it, and everything has arrived that this
     * round expects. Its names are withdrawn at once.
     *
     * @param expected bytes of each round, which no ARM adds to the pair
     */
    public static void closeAfter(Client client, CounterPair pair, long round, long expected) {
        client.closeAfter(pair, round, Descriptor.cumulativeLimit(0, expected, round));
    }

    /** Returns what the client has closed, and what may still be written to. Any thread. */
    public static List<Closing> closings(Client client) {
        return client.closings();
    }

    /** Registers the description of what a close of the node abandons at the context, empty for nothing. */
    public static void onClosing(Context context, Supplier<String> unfinished) {
        context.passes().onClosing(unfinished);
    }

    /**
     * Describes what a close of the node abandons at its contexts, empty for nothing. The caller must be free to use
     * them.
     */
    public static String unfinished(Client client) {
        final StringJoiner all = new StringJoiner("; ");
        for (final Context context : client.registry().created()) {
            final String unfinished = context.passes().unfinished();
            if (!unfinished.isEmpty()) {
                all.add(unfinished);
            }
        }
        return all.toString();
    }

    /** Returns true while handlers of the context run. */
    public static boolean isInHandler(Context context) {
        return context.sinks().isInHandler();
    }

    /** Returns true while a handler of the context runs that may send. */
    public static boolean isReplying(Context context) {
        return context.sinks().isReplying();
    }

    /** Returns true if a message targets the context with this id. An unknown use equals every use. */
    public static boolean targets(Context context, Message message, int contextId) {
        return ContextDirectory.isSame(target(context, message), contextId);
    }

    /** Returns the FIFO of the context for sends of handlers. Valid after {@link #requireMessenger}. */
    public static FifoMetadata replies(Context context) {
        return Objects.requireNonNull(context.fifos().replies()).metadata();
    }

    /**
     * Returns the number of changes of peers so far: deaths, departures, and the loss of the hub. While it is
     * unchanged, so is the {@link Context#failure} of every rank.
     */
    public static long peerChanges(Context context) {
        return context.states().changesAcquire();
    }

    /** Returns the id of the context that a message targets. */
    public static int target(Context context, Message message) {
        return context.contexts().context(OperationAccess.rank(message), message);
    }

    /** Returns false once the client was closed that had the context with this id at {@code rank}. */
    public static boolean isAdmitted(Context context, int rank, int contextId) {
        return context.contexts().admits(rank, contextId);
    }

    /** Returns true once the client is closed that had the context with this id at {@code rank}. */
    public static boolean isOver(Context context, int rank, int contextId) {
        return context.contexts().isOver(rank, contextId);
    }

    /** Returns {@link Context#failure}, or the reason why the context with this id receives no messages any more. */
    public static @Nullable SegnoException failure(Context context, int rank, int contextId) {
        final SegnoException failure = context.failure(rank);
        return failure != null || isAdmitted(context, rank, contextId)
                ? failure
                : new RefusedException(
                        rank,
                        "a message to rank " + rank + " may not have been received: " + Refusal.STALE_CONTEXT.reason());
    }

    /**
     * Counts a message for {@code dispatchId} that no handler accepts and notifies its sender, as for an unregistered
     * id. For handlers that forward messages.
     */
    public static void unhandled(Context context, long origin, int dispatchId) {
        context.reception().unhandled(origin, dispatchId);
    }

    /**
     * Registers {@code handler} for announcements of long messages to the context. Valid after
     * {@link #requireMessenger}.
     */
    public static void announcements(Context context, ReplyingHandler handler) {
        context.reception().dispatch().registerAnnouncements(handler);
    }

    /**
     * Lets the calling thread hold all contexts of the node that threads share by locks, where it can until the
     * deadline, and returns them. {@link #release} ends that.
     */
    public static List<Context> hold(Client client, long deadlineNs) {
        final List<Context> held = new ArrayList<>();
        for (final Context context : client.registry().created()) {
            if (context.passes().threads().tryHold(deadlineNs)) {
                held.add(context);
            }
        }
        return held;
    }

    /** Releases the contexts that {@link #hold} has returned. */
    public static void release(List<Context> held) {
        held.forEach(Context::unlock);
    }

    /** Describes a context, and the other living thread that was the last to advance it. For messages. */
    public static String otherUsers(Client client) {
        final StringJoiner all = new StringJoiner(", ");
        for (final Context context : client.registry().created()) {
            if (!context.passes().isFreeFor(Thread.currentThread())) {
                all.add("thread " + context.passes().user() + " was the last to use " + context);
            }
        }
        return all.toString();
    }

    /** Returns true unless another living thread was the last to advance a context of the node. Any thread. */
    public static boolean isFreeFor(Client client, Thread thread) {
        for (final Context context : client.registry().created()) {
            if (!context.passes().isFreeFor(thread)) {
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
        for (final Context context : client.registry().created()) {
            if (!context.isDrained()) {
                return false;
            }
        }
        return true;
    }

    /**
     * Returns true if nothing is left that the engine can carry out: what remains in the contexts of the node is held
     * at WAITs for ranks that have left. Called while no other thread uses them.
     */
    public static boolean isExhausted(Client client) {
        for (final Context context : client.registry().created()) {
            final Senders senders = new Senders(context.node());
            if (!context.isDrained() && !context.fifos().isHeldBy(sources -> senders.haveLeft(sources, Senders.ALL))) {
                return false;
            }
        }
        return true;
    }

    /**
     * Describes the work that is left, by context: the first descriptor of each FIFO and its target. For messages: it
     * allocates.
     */
    public static String pending(Client client) {
        final StringBuilder all = new StringBuilder();
        for (final Context context : client.registry().created()) {
            if (!context.isDrained()) {
                all.append("; context ").append(Endpoint.context(context.endpoint()));
                all.append(context.fifos().pending());
                all.append(context.patterns().pending());
            }
        }
        return all.toString();
    }

    /**
     * Abandons the open recordings of all contexts of the node whose threads can no longer end them: that of the
     * caller, and those that have ended.
     */
    public static void abandonRecordings(Client client) {
        for (final Context context : client.registry().created()) {
            context.recordings().abandonFree();
        }
    }

    /** Runs a pass of the node's engines while no closing of a client does. */
    public static void exclusively(Client client, Runnable pass) {
        synchronized (client.registry().shared()) {
            pass.run();
        }
    }

    /**
     * Abandons the open loans of all contexts of the node whose threads can no longer end them, as
     * {@link #abandonRecordings} does. Describes them, or returns an empty text if there are none.
     */
    public static String abandonLoans(Client client) {
        final StringBuilder all = new StringBuilder();
        for (final Context context : client.registry().created()) {
            all.append(context.loans().abandonFree());
        }
        return all.toString();
    }

    /** Ends the progress threads of all contexts of the node. Any thread. */
    public static void endProgress(Client client) {
        for (final Context context : client.registry().created()) {
            context.endProgress();
        }
    }

    /** Ends the waits of all contexts of the node, present and future, and their injection. Any thread. */
    public static void close(Client client, String reason) {
        client.registry().close(reason);
    }

    /**
     * Returns the objects that patterns of a client can refer to. The caller must hold all contexts of the client.
     *
     * @throws org.segno.status.ClosedException if the node was closed
     * @throws IllegalStateException while a pattern is recorded
     */
    public static PatternResources patternResources(Client client) {
        final ClientShare share = client.share();
        client.registry().requireOpen();
        // A file may have patterns of any context, so all of them are created.
        final SortedMap<Integer, Context> contexts = client.contexts();
        final Context first = contexts.isEmpty()
                ? client.context()
                : contexts.values().iterator().next();
        final SortedMap<Integer, PatternBuffer> buffers = new TreeMap<>();
        contexts.forEach((number, context) -> {
            context.sinks().requireNotRecording("saving or loading patterns");
            buffers.put(number, context.patterns());
        });
        return new PatternResources(
                share.name(),
                first.node().rank(),
                first.ranks(),
                share.windows(),
                share.counters().table(),
                buffers,
                new PeerView(first));
    }

    /**
     * View of other ranks through a client's first context.
     *
     * @param context the first one
     */
    private record PeerView(Context context) implements PatternResources.Peers {
        @Override
        public NameDirectory.Entry find(int rank, String name, long deadlineNs) {
            return context.directory().find(rank, name, deadlineNs);
        }

        @Override
        public int offset(int rank, int contextId) {
            context.ranges().requireRank(rank);
            final int number = Endpoint.contextOf(contextId);
            DescriptorWriter.requireContext(context.peer(rank), number);
            final ContextDirectory contexts = context.contexts();
            if (!contexts.admits(rank, contextId)) {
                throw new IllegalStateException("it sends to context " + number + " of rank " + rank
                        + ", whose client was closed; find its endpoint again, and record the pattern again");
            }
            final int count = contexts.isKnown(rank) ? contexts.count(rank) : 0;
            for (int offset = 0; offset < count; offset++) {
                if (ContextDirectory.isSame(contexts.context(rank, offset), contextId)) {
                    return offset;
                }
            }
            return -1;
        }

        @Override
        public int context(int rank, int offset, long deadlineNs) {
            context.directory().awaitClient(rank, deadlineNs);
            return context.contexts().context(rank, offset);
        }

        @Override
        public int present(int rank, int number) {
            context.ranges().requireRank(rank);
            DescriptorWriter.requireContext(context.peer(rank), number);
            return context.contexts().present(rank, number);
        }
    }
}
