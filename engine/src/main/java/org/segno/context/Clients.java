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
 * The clients of a node: its own, which has everything at first, and those that have been given an exclusive share of that. Any
 * thread, under the monitor of what they share.
 */
final class Clients {
    /** Bytes of a client's name: with it and a separator before them, names of counters have room for twice as many. */
    private static final int MAX_NAME_BYTES = 31;

    private final int rank;
    private final MessageLimits limits;
    private final Closings.Shared shared;
    private final Context[] contexts;

    /** By context: who has it; null if it can be given to anybody. */
    private final @Nullable Client[] holders;

    private final List<Client> opened = new ArrayList<>();
    private final Client own;

    /**
     * What a client has.
     *
     * @param name as it was opened; empty for the node's own
     * @param number within its node, 0 for the node's own
     * @param first number of its first context
     * @param count its contexts; of the node's own client all that others have not
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

    /** The node's own client. */
    Client own() {
        return own;
    }

    /** What all clients share, and whose monitor guards it. */
    Closings.Shared shared() {
        return shared;
    }

    /** All contexts of the node, whosever they are. */
    Context[] contexts() {
        return contexts;
    }

    /** Opens a client with an exclusive share of what the node's own client has left. */
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
            // Last: who finds it may send there.
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
                        "rank " + rank + " has opened a client of this name already: " + client);
            }
        }
    }

    private void requireLeft(String what, long wanted, long left, String setting) {
        if (wanted > left) {
            final StringBuilder held = new StringBuilder();
            for (final Client client : opened) {
                held.append("; ").append(client);
            }
            throw new IllegalStateException("rank " + rank + " has " + left + " " + what + " left side by side, "
                    + wanted + " are asked for; raise NodeConfig." + setting + ". Held by: " + own + held);
        }
    }

    /** The last contexts side by side that nobody has: the node's own client mostly uses the first. Or -1. */
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

    /** Contexts that the node's own client has been asked for. */
    int ownContexts() {
        int count = 0;
        for (final Client holder : holders) {
            count += holder == own ? 1 : 0;
        }
        return count;
    }

    /** The node's own client is asked for a context, and has it from now on. */
    void keep(int index) {
        synchronized (shared) {
            final Client holder = holders[index];
            if (holder != null && holder != own) {
                throw new IllegalStateException(
                        "context " + index + " of rank " + rank + " is not the node's own client's any more: " + holder
                                + " has it; raise NodeConfig.withContexts");
            }
            holders[index] = own;
        }
    }

    /** True if the node's own client has the context, or nobody. */
    boolean isOwn(int index) {
        synchronized (shared) {
            return holders[index] == null || holders[index] == own;
        }
    }
}
