package org.segno.context;

import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import org.agrona.BitUtil;
import org.jspecify.annotations.Nullable;
import org.segno.engine.fifo.FifoPositions;
import org.segno.engine.memory.NameDirectory;
import org.segno.engine.memory.NodeLayout;
import org.segno.engine.reuse.Closings;
import org.segno.engine.reuse.CounterGroup;
import org.segno.engine.reuse.Pins;
import org.segno.engine.reuse.QuietEngines;
import org.segno.engine.reuse.WindowArena;
import org.segno.memory.ReceptionCounter;
import org.segno.operation.MessageLimits;

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
    private final MessageLimits limits;
    private final Closings.Shared shared;
    private final Context[] contexts;

    /** Client of each context; null while it is unassigned. */
    private final @Nullable ClientShare[] holders;

    private final List<ClientShare> opened = new ArrayList<>();
    private final ClientShare own;

    ClientRegistry(NodeShare share) {
        this.rank = share.node().rank();
        this.limits = share.limits();
        final CounterGroup counters = new CounterGroup(share.node());
        this.shared = new Closings.Shared(
                rank,
                new NameDirectory(share.node()),
                new QuietEngines(share.peers(), share.states(), share.processIsGone()),
                () -> new FifoPositions(share.node())::awaited,
                new Pins());
        this.contexts = new Context[share.node().layout().dimensions().contexts()];
        this.holders = new ClientShare[contexts.length];
        final ReceptionCounter[] barriers = new ReceptionCounter[contexts.length];
        for (int i = 0; i < contexts.length; i++) {
            // The first counters of every node, so that barriers need no directory: context i uses counter i
            // everywhere.
            barriers[i] = counters.bare(ReceptionCounter.ANYBODY);
        }
        for (int i = 0; i < contexts.length; i++) {
            contexts[i] = Context.open(share, counters, shared.pins(), barriers[i], i);
        }
        this.own = new ClientShare("", 0, 0, contexts.length, share.windows(), counters);
    }

    MessageLimits limits() {
        return limits;
    }

    /** Returns the share of the node's own client. */
    ClientShare own() {
        return own;
    }

    /** Returns the state that all clients share; its monitor guards it. */
    Closings.Shared shared() {
        return shared;
    }

    /** Returns all contexts of the node, regardless of their client. */
    Context[] contexts() {
        return contexts;
    }

    /** Opens a client with an exclusive share of the resources that the node's own client has left. */
    ClientShare open(String name, int wanted, int injections, int receptions, long windowBytes) {
        synchronized (shared) {
            contexts[0].sinks().requireOpen();
            requireName(name);
            final int first = freeContexts(wanted);
            requireLeft("contexts", wanted, first < 0 ? largestFree() : wanted, "withContexts");
            requireLeft("injection counters", injections, own.counters().freeInjections(), "withCounters");
            requireLeft("reception counters", receptions, own.counters().freeReceptions(), "withCounters");
            requireLeft("window bytes", windowBytes, own.windows().free(), "withWindowBytes");
            final long bytes = BitUtil.align(windowBytes, NodeLayout.LINE_PAIR);
            final int number = opened.size() + 1;
            final WindowArena windows = own.windows().part(bytes);
            final CounterGroup counters = own.counters().part(injections, receptions);
            final ClientShare client = new ClientShare(name, number, first, wanted, windows, counters);
            for (int i = first; i < first + wanted; i++) {
                holders[i] = client;
                contexts[i].assign(name, number, first);
            }
            opened.add(client);
            // Published last, because peers may send to the client once they find it.
            shared.names()
                    .publish(
                            name + ContextDirectory.SEPARATOR,
                            new NameDirectory.Entry(NameDirectory.CLIENT, first, number, wanted));
            return client;
        }
    }

    private void requireName(String name) {
        final int bytes = name.getBytes(StandardCharsets.UTF_8).length;
        if (bytes < 1 || bytes > MAX_NAME_BYTES || name.indexOf(ContextDirectory.SEPARATOR) >= 0) {
            throw new IllegalArgumentException("a client's name has 1 to " + MAX_NAME_BYTES + " bytes in UTF-8 and no "
                    + ContextDirectory.SEPARATOR + ": name=" + name);
        }
        for (final ClientShare client : opened) {
            if (client.name().equals(name)) {
                throw new IllegalArgumentException(
                        "rank " + rank + " has already opened a client of this name: " + describe(client));
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
                    + " were requested; raise NodeConfig." + setting + ". Held by: " + describe(own) + held);
        }
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
    void claim(ClientShare client, int index) {
        synchronized (shared) {
            final ClientShare holder = holders[index];
            if (holder != null && !holder.equals(client)) {
                throw new IllegalStateException("context " + index + " of rank " + rank + " no longer belongs to "
                        + client.title() + " but to " + describe(holder) + "; raise NodeConfig.withContexts");
            }
            holders[index] = client;
        }
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
