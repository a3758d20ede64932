package org.segno.context;

import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.SortedMap;
import java.util.TreeMap;
import org.agrona.BitUtil;
import org.jspecify.annotations.Nullable;
import org.segno.engine.combine.UserOperators;
import org.segno.engine.fifo.FifoPositions;
import org.segno.engine.job.Inquiries;
import org.segno.engine.memory.ContextStates;
import org.segno.engine.memory.NameDirectory;
import org.segno.engine.memory.NodeLayout;
import org.segno.engine.memory.NodeMemory;
import org.segno.engine.metrics.Metric;
import org.segno.engine.reuse.Closings;
import org.segno.engine.reuse.CounterGroup;
import org.segno.engine.reuse.Pins;
import org.segno.engine.reuse.QuietEngines;
import org.segno.engine.reuse.WindowArena;
import org.segno.geometry.Endpoint;
import org.segno.memory.Closing;
import org.segno.memory.ReceptionCounter;
import org.segno.memory.Window;
import org.segno.operation.MessageLimits;
import org.segno.status.ClosedException;
import org.segno.status.SegnoException;

/**
 * The clients of a node: its own, which initially owns all resources, and those that were opened with an exclusive
 * share of them. Any thread, under the monitor of their shared state.
 */
final class ClientRegistry {
    /**
     * Limit of a client's name in bytes. It leaves twice as many bytes for counter names, which directories store after
     * the client's name and a separator.
     */
    private static final int MAX_NAME_BYTES = 31;

    private final int rank;
    private final NodeShare share;
    private final Closings.Shared shared;
    private final ReceptionCounter[] barriers;

    /** Contexts by number; null until created. */
    private final @Nullable Context[] contexts;

    /** The created contexts in the order of their creation. Replaced under the monitor, read by any thread. */
    private volatile List<Context> created = List.of();

    private volatile @Nullable String closedReason;

    /** Client of each context; null while it is unassigned. */
    private final @Nullable ClientShare[] holders;

    /** Clients that are open or being closed. */
    private final List<ClientShare> opened = new ArrayList<>();

    /** Parts of contexts that had an earlier use, by number. */
    private final @Nullable ContextParts[] parts;

    private final ContextStates states;
    private final List<Closing> closing = new ArrayList<>();
    private final ClientShare own;

    ClientRegistry(NodeShare share) {
        this.rank = share.node().rank();
        this.share = share;
        final CounterGroup counters = new CounterGroup(share.node());
        this.shared = new Closings.Shared(
                rank,
                new NameDirectory(share.node()),
                new QuietEngines(share.peers().mapped(), share.states(), share.processIsGone()),
                () -> new FifoPositions(share.node())::awaited,
                new Pins());
        this.contexts = new Context[share.node().layout().dimensions().contexts()];
        this.holders = new ClientShare[contexts.length];
        this.parts = new ContextParts[contexts.length];
        this.states = new ContextStates(share.node());
        this.barriers = new ReceptionCounter[contexts.length];
        for (int i = 0; i < contexts.length; i++) {
            // The first counters of every node, so that barriers need no directory: context i uses counter i
            // everywhere. A peer may count there before the context is created.
            barriers[i] = counters.bare(ReceptionCounter.ANYBODY);
        }
        this.own = new ClientShare(
                "", 0, 0, contexts.length, TaskList.all(share.peers().size()), share.windows(), counters);
        create(own, 0, Thread.currentThread());
    }

    MessageLimits limits() {
        return share.limits();
    }

    CollectiveSettings collectives() {
        return share.collectives();
    }

    Inquiries inquiries() {
        return share.inquiries();
    }

    /** Returns the node's memory. */
    NodeMemory node() {
        return share.node();
    }

    /** Returns the share of the node's own client. */
    ClientShare own() {
        return own;
    }

    /** Returns the user operators of the node. */
    UserOperators operators() {
        return share.operators();
    }

    /** Returns the state that all clients share; its monitor guards it. */
    Closings.Shared shared() {
        return shared;
    }

    /** Returns the contexts that have been created so far, regardless of their client. Any thread. */
    List<Context> created() {
        return created;
    }

    /**
     * Returns context {@code index} of the node, which belongs to {@code client} from now on. Creates it if it does not
     * exist; it is then used by {@code owner}.
     *
     * @throws IllegalStateException if it belongs to another client; the message names that client
     */
    Context obtain(ClientShare client, int index, Thread owner) {
        synchronized (shared) {
            requireOpen(client);
            claim(client, index);
            return create(client, index, owner);
        }
    }

    /**
     * Creates the first context of {@code client} that does not exist, used by {@code owner}.
     *
     * @throws IllegalStateException if all of its contexts exist, or belong to other clients
     */
    Context createNext(ClientShare client, Thread owner) {
        synchronized (shared) {
            requireOpen(client);
            for (int i = client.first(); i < client.first() + client.count(); i++) {
                if (contexts[i] == null && holds(client, i)) {
                    holders[i] = client;
                    return create(client, i, owner);
                }
            }
            throw new IllegalStateException("all contexts of " + describe(client) + " exist at rank " + rank
                    + "; raise " + (client.number() == 0 ? "NodeConfig" : "ClientConfig") + ".withContexts");
        }
    }

    /** Returns the contexts of {@code client}, by offset. Creates those that do not exist, used by {@code owner}. */
    SortedMap<Integer, Context> all(ClientShare client, Thread owner) {
        synchronized (shared) {
            requireOpen(client);
            final SortedMap<Integer, Context> all = new TreeMap<>();
            for (int i = 0; i < client.count(); i++) {
                if (holds(client, client.first() + i)) {
                    all.put(i, create(client, client.first() + i, owner));
                }
            }
            return all;
        }
    }

    private Context create(ClientShare client, int index, Thread owner) {
        final Context existing = contexts[index];
        if (existing != null) {
            return existing;
        }
        final ContextParts known = parts(index);
        final Context context = Context.open(share, known, barriers[index], index, owner);
        context.passes().among(this::created);
        context.recordings().among(this::created);
        context.loans().windowsFrom(length -> loanWindow(client, length));
        if (client.number() != 0) {
            context.assign(client, owner);
        }
        contexts[index] = context;
        final List<Context> more = new ArrayList<>(created);
        more.add(context);
        created = List.copyOf(more);
        return context;
    }

    /** Opens a window for loans of a client. If there is room, its length is a power of two, to serve longer ones. */
    private Window loanWindow(ClientShare client, int length) {
        synchronized (shared) {
            requireOpen(client);
            final long wanted = Math.max(NodeLayout.LINE_PAIR, BitUtil.findNextPositivePowerOfTwo((long) length));
            final long room = client.windows().free();
            return client.windows().open(room < wanted && room >= length ? Math.max(1, length) : wanted);
        }
    }

    /** Returns the parts of a context that does not exist. */
    private ContextParts parts(int index) {
        ContextParts known = parts[index];
        if (known == null) {
            known = ContextParts.open(share, index, own.counters(), shared.pins());
            parts[index] = known;
        }
        return known;
    }

    /**
     * Begins to close a client. Its name is withdrawn, its contexts end, and messages to them are refused.
     *
     * @param closings those of the client
     * @param ofNode those of the node's own client
     */
    Closing close(ClientShare client, Closings closings, Closings ofNode, String reason) {
        shared.names().withdrawClient(client.name() + ContextDirectory.SEPARATOR);
        client.counters()
                .openReceptions()
                .forEach(counter -> shared.names().withdrawAll(counter.id(), counter.incarnation()));
        final List<Context> ended = contextsOf(client);
        ended.forEach(context -> context.end(reason));
        for (int i = client.first(); i < client.first() + client.count(); i++) {
            final Context context = contexts[i];
            states.close(i, context == null ? 0 : context.barrier().entered());
            own.counters().disable(barriers[i]);
        }
        final ClientClosing steps = new ClientClosing(client, closings, ended);
        final Closing begun = ofNode.close(
                client.title(), () -> closedReason != null ? closedReason : steps.left(), () -> release(client, steps));
        closing.add(begun);
        return begun;
    }

    /** Returns the contexts of a client that exist. */
    List<Context> contextsOf(ClientShare client) {
        final List<Context> existing = new ArrayList<>();
        for (int i = client.first(); i < client.first() + client.count(); i++) {
            final Context context = contexts[i];
            if (context != null && holds(client, i)) {
                existing.add(context);
            }
        }
        return existing;
    }

    /** Returns the share of a closed client to the node's own, once no engine can write there any more. */
    private void release(ClientShare client, ClientClosing steps) {
        int dropped = 0;
        final List<Context> remaining = new ArrayList<>(created);
        for (int i = client.first(); i < client.first() + client.count(); i++) {
            final Context context = contexts[i];
            dropped += parts(i).lanes().drain();
            final boolean isSound = context == null || context.fifos().quarantined() == null;
            if (context != null) {
                remaining.remove(context);
                contexts[i] = null;
                if (isSound) {
                    parts[i] = context.release();
                }
            }
            // A context without a further use, or with a FIFO that is not served, remains with this client for ever.
            if (isSound && states.hasNextUse(i)) {
                // A rank may count as soon as it knows the next use.
                own.counters().enableBare(barriers[i]);
                states.reopen(i);
                holders[i] = null;
            }
        }
        created = List.copyOf(remaining);
        own.windows().unite(client.windows());
        own.counters().unite(client.counters());
        opened.remove(client);
        report(client, dropped, steps);
    }

    private void report(ClientShare client, int dropped, ClientClosing steps) {
        if (dropped != 0) {
            share.metrics().get(client.first()).add(Metric.DROPPED, dropped);
        }
        if (dropped != 0
                || steps.discarded() != 0
                || steps.abandoned() != 0
                || !steps.unfinished().isEmpty()) {
            share.errors()
                    .record(new SegnoException(client.title() + " of rank " + rank + " was closed: " + dropped
                            + " messages that no handler had accepted were dropped, " + steps.discarded()
                            + " pieces of posted work were not run, and the loans of " + steps.abandoned()
                            + " contexts were abandoned" + steps.unfinished()
                            + "; close it when nothing is under way"));
        }
    }

    /** Completes the closings of clients that can be completed now. */
    private void poll() {
        closing.removeIf(Closing::isDone);
    }

    /** Ends the waits of all contexts, present and future, and the creation of contexts. Any thread. */
    void close(String reason) {
        synchronized (shared) {
            if (closedReason == null) {
                closedReason = reason;
            }
            created.forEach(context -> context.close(reason));
        }
    }

    /**
     * Checks that the node is open.
     *
     * @throws ClosedException with the reason of its end
     */
    void requireOpen() {
        final String reason = closedReason;
        if (reason != null) {
            throw SinkSelector.closed(reason);
        }
    }

    /**
     * Checks that the node and the client are open.
     *
     * @throws ClosedException with the reason of its end
     */
    private void requireOpen(ClientShare client) {
        requireOpen();
        poll();
        if (client.number() != 0 && !opened.contains(client)) {
            throw SinkSelector.closed(closedReason(client));
        }
    }

    /** Returns the reason for which the calls of a closed client are refused. */
    String closedReason(ClientShare client) {
        return client.title() + " of rank " + rank + " was closed";
    }

    /** Opens a client with an exclusive share of the resources that the node's own client has left. */
    ClientShare open(ContextAccess.ClientRequest request) {
        final String name = request.name();
        final int wanted = request.contexts();
        final int injections = request.injectionCounters();
        final int receptions = request.receptionCounters();
        final long windowBytes = request.windowBytes();
        synchronized (shared) {
            requireOpen();
            poll();
            requireName(name);
            final TaskList tasks =
                    TaskList.of(request.tasks(), rank, share.peers().size());
            final int first = freeContexts(wanted);
            requireLeft("contexts", wanted, first < 0 ? largestFree() : wanted, "withContexts");
            requireLeft("injection counters", injections, own.counters().freeInjections(), "withCounters");
            requireLeft("reception counters", receptions, own.counters().freeReceptions(), "withCounters");
            requireLeft("window bytes", windowBytes, own.windows().free(), "withWindowBytes");
            final long bytes = BitUtil.align(windowBytes, NodeLayout.LINE_PAIR);
            final int number = freeNumber();
            final WindowArena windows = own.windows().part(bytes);
            final CounterGroup counters =
                    own.counters().part(injections, receptions, tasks.admission("client \"" + name + "\""));
            final ClientShare client = new ClientShare(name, number, first, wanted, tasks, windows, counters);
            for (int i = first; i < first + wanted; i++) {
                holders[i] = client;
                states.open(i, number, i - first);
                final Context existing = contexts[i];
                if (existing != null) {
                    existing.loans().windowsFrom(length -> loanWindow(client, length));
                    existing.assign(client, Thread.currentThread());
                }
            }
            create(client, first, Thread.currentThread());
            opened.add(client);
            // Published last, because peers may send to the client once they find it.
            shared.names()
                    .publish(
                            name + ContextDirectory.SEPARATOR,
                            NameDirectory.Entry.client(first, number, wanted, tasks.hash()));
            return client;
        }
    }

    private int freeNumber() {
        int number = 1;
        while (isTaken(number)) {
            number++;
        }
        return number;
    }

    private boolean isTaken(int number) {
        return opened.stream().anyMatch(client -> client.number() == number);
    }

    private void requireName(String name) {
        final int bytes = name.getBytes(StandardCharsets.UTF_8).length;
        if (bytes < 1 || bytes > MAX_NAME_BYTES || name.indexOf(ContextDirectory.SEPARATOR) >= 0) {
            throw new IllegalArgumentException("a client's name has 1 to " + MAX_NAME_BYTES + " bytes in UTF-8 and no "
                    + ContextDirectory.SEPARATOR + ": name=" + name);
        }
        for (final ClientShare client : opened) {
            if (client.name().equals(name)) {
                throw new IllegalArgumentException("rank " + rank
                        + " has already opened a client of this name, or not closed it yet: " + describe(client));
            }
        }
    }

    private void requireLeft(String what, long wanted, long left, String setting) {
        if (wanted > left) {
            final StringBuilder held = new StringBuilder();
            for (final ClientShare client : opened) {
                held.append("; ").append(describe(client));
            }
            throw new IllegalStateException("rank " + rank + " has " + left + " " + what + " left in one run, " + wanted
                    + " were requested; raise NodeConfig." + setting + ". Held by: " + describe(own) + held + spent());
        }
    }

    /** Describes the contexts that remain with closed clients for ever; empty if there is none. */
    private String spent() {
        final long count = Arrays.stream(holders)
                .filter(holder -> holder != null && !holder.equals(own) && !opened.contains(holder))
                .count();
        return count == 0
                ? ""
                : "; and " + count + " cannot be used again: a context has " + Endpoint.USES
                        + " uses in a job, and its last one if a FIFO of it has an impossible word";
    }

    /**
     * Returns the first number of the last run of {@code wanted} adjacent unassigned contexts, or -1. Searches from the
     * end, because the node's own client mostly uses the first ones.
     */
    private int freeContexts(int wanted) {
        int free = 0;
        for (int i = contexts.length - 1; i >= 0; i--) {
            free = holders[i] == null ? free + 1 : 0;
            if (free == wanted) {
                return i;
            }
        }
        return -1;
    }

    private int largestFree() {
        int wanted = contexts.length;
        while (wanted > 0 && freeContexts(wanted) < 0) {
            wanted--;
        }
        return wanted;
    }

    /**
     * Assigns a context to a client for good, unless it is assigned already.
     *
     * @throws IllegalStateException if it belongs to another client; the message names that client
     */
    private void claim(ClientShare client, int index) {
        final ClientShare holder = holders[index];
        if (holder != null && !holder.equals(client)) {
            throw new IllegalStateException("context " + index + " of rank " + rank + " no longer belongs to "
                    + client.title() + " but to " + describe(holder) + "; raise NodeConfig.withContexts");
        }
        holders[index] = client;
    }

    /** Returns true if the context belongs to the client. The node's own client has those of no other client. */
    boolean holds(ClientShare client, int index) {
        synchronized (shared) {
            return client.equals(holders[index]) || (client.equals(own) && holders[index] == null);
        }
    }

    /** Describes a client with the number of its contexts and its other resources. */
    String describe(ClientShare client) {
        int claimed = 0;
        for (final ClientShare holder : holders) {
            claimed += client.equals(holder) ? 1 : 0;
        }
        return client.title() + " with " + claimed + " contexts, " + client.counters() + ", " + client.windows();
    }
}
