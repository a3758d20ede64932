package org.segno.context;

import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import org.agrona.BitUtil;
import org.jspecify.annotations.Nullable;
import org.segno.counter.CounterGroup;
import org.segno.counter.CounterSettings;
import org.segno.counter.ReceptionCounter;
import org.segno.fifo.FifoPositions;
import org.segno.memory.NameDirectory;
import org.segno.memory.NodeLayout;
import org.segno.memory.WindowArena;
import org.segno.operation.MessageLimits;
import org.segno.reuse.Closings;
import org.segno.reuse.Pins;
import org.segno.reuse.QuietEngines;

/**
 * The clients of a node: its own, which initially owns all resources, and those that were opened with an exclusive
 * share of them. Any thread, under the monitor of their shared state.
 */
final class Clients {
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
    private final @Nullable Client[] holders;

    private final List<Client> opened = new ArrayList<>();
    private final Client own;

    /**
     * Resources of one client.
     *
     * @param name under which it was opened; empty for the node's own
     * @param number within its node, 0 for the node's own
     * @param first number of its first context
     * @param count number of its contexts; for the node's own client, the number of all contexts of the node, including
     *     those that others have taken
     * @param windows its memory
     * @param counters its counters
     */
    record Share(String name, int number, int first, int count, WindowArena windows, CounterGroup counters) {}

    Clients(NodeShare share) {
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
        this.holders = new Client[contexts.length];
        final ReceptionCounter[] barriers = new ReceptionCounter[contexts.length];
        for (int i = 0; i < contexts.length; i++) {
            // The first counters of every node, so that barriers need no directory: context i uses counter i
            // everywhere.
            barriers[i] = counters.bare(CounterSettings.ANYBODY);
        }
        for (int i = 0; i < contexts.length; i++) {
            contexts[i] = new Context(share, counters, shared.pins(), barriers[i], i);
        }
        this.own = new Client(this, new Share("", 0, 0, contexts.length, share.windows(), counters));
    }

    MessageLimits limits() {
        return limits;
    }

    /** Returns the node's own client. */
    Client own() {
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
    Client open(String name, int wanted, int injections, int receptions, long windowBytes) {
        synchronized (shared) {
            contexts[0].requireOpen();
            requireName(name);
            final int first = freeContexts(wanted);
            final Share from = own.share();
            requireLeft("contexts", wanted, first < 0 ? largestFree() : wanted, "withContexts");
            requireLeft("injection counters", injections, from.counters().freeInjections(), "withCounters");
            requireLeft("reception counters", receptions, from.counters().freeReceptions(), "withCounters");
            requireLeft("window bytes", windowBytes, from.windows().free(), "withWindowBytes");
            final long bytes = BitUtil.align(windowBytes, NodeLayout.LINE_PAIR);
            final int number = opened.size() + 1;
            final WindowArena windows = from.windows().part(bytes);
            final CounterGroup counters = from.counters().part(injections, receptions);
            final Client client = new Client(this, new Share(name, number, first, wanted, windows, counters));
            for (int i = first; i < first + wanted; i++) {
                holders[i] = client;
                contexts[i].belongTo(name, number, first);
            }
            opened.add(client);
            // Published last, because peers may send to the client once they find it.
            shared.names()
                    .publish(
                            name + Homes.SEPARATOR,
                            new NameDirectory.Entry(NameDirectory.CLIENT, first, number, wanted));
            return client;
        }
    }

    private void requireName(String name) {
        final int bytes = name.getBytes(StandardCharsets.UTF_8).length;
        if (bytes < 1 || bytes > MAX_NAME_BYTES || name.indexOf(Homes.SEPARATOR) >= 0) {
            throw new IllegalArgumentException("a client's name has 1 to " + MAX_NAME_BYTES + " bytes in UTF-8 and no "
                    + Homes.SEPARATOR + ": name=" + name);
        }
        for (final Client client : opened) {
            if (client.share().name().equals(name)) {
                throw new IllegalArgumentException(
                        "rank " + rank + " has already opened a client of this name: " + client);
            }
        }
    }

    private void requireLeft(String what, long wanted, long left, String setting) {
        if (wanted > left) {
            final StringBuilder held = new StringBuilder();
            for (final Client client : opened) {
                held.append("; ").append(client);
            }
            throw new IllegalStateException("rank " + rank + " has " + left + " " + what + " left in one run, " + wanted
                    + " were requested; raise NodeConfig." + setting + ". Held by: " + own + held);
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

    /** Returns the number of contexts that the node's own client has claimed. */
    int ownContexts() {
        int count = 0;
        for (final Client holder : holders) {
            count += holder == own ? 1 : 0;
        }
        return count;
    }

    /** Assigns a context to the node's own client, for good. */
    void keep(int index) {
        synchronized (shared) {
            final Client holder = holders[index];
            if (holder != null && holder != own) {
                throw new IllegalStateException(
                        "context " + index + " of rank " + rank + " no longer belongs to the node's own client but to "
                                + holder + "; raise NodeConfig.withContexts");
            }
            holders[index] = own;
        }
    }

    /** Returns true if the context belongs to the node's own client, or to no client. */
    boolean isOwn(int index) {
        synchronized (shared) {
            return holders[index] == null || holders[index] == own;
        }
    }
}
