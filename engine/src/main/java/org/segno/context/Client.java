package org.segno.context;

import org.segno.counter.CounterGroup;
import org.segno.counter.CounterPair;
import org.segno.counter.CounterSettings;
import org.segno.counter.InjectionCounter;
import org.segno.counter.ReceptionCounter;
import org.segno.memory.NameDirectory;
import org.segno.memory.Window;

/**
 * A share of a node's memory, counters and contexts. Resources are made at start, by one thread at a time, and live as long as the
 * node.
 */
public final class Client {
    private final NodeShare share;
    private final CounterGroup counters;
    private final NameDirectory names;
    private final Context[] contexts;

    /** Made by the node, once. */
    public Client(NodeShare share) {
        this.share = share;
        this.counters = new CounterGroup(share.node());
        this.names = new NameDirectory(share.node());
        this.contexts = new Context[share.node().layout().dimensions().contexts()];
        final ReceptionCounter[] barriers = new ReceptionCounter[contexts.length];
        for (int i = 0; i < contexts.length; i++) {
            // The first counters of every node, so that barriers need no directory: context i uses counter i
            // everywhere.
            barriers[i] = counters.bare(CounterSettings.ANYBODY);
        }
        for (int i = 0; i < contexts.length; i++) {
            contexts[i] = new Context(share, counters, barriers[i], i);
        }
    }

    /** The first context. */
    public Context context() {
        return contexts[0];
    }

    /** A context by its number. */
    public Context context(int index) {
        return contexts[index];
    }

    /**
     * Opens a window of {@code bytes}, zeroed.
     *
     * @throws IllegalArgumentException if the arena has no room; says how much is left
     */
    public Window window(long bytes) {
        return share.windows().open(bytes);
    }

    /** A counter over a range of a window that admits every rank. */
    public ReceptionCounter receptionCounter(Window window, long offset, long length) {
        return counters.reception(window, offset, length, CounterSettings.ANYBODY);
    }

    /** A counter over a range of a window that admits one rank. */
    public ReceptionCounter receptionCounter(Window window, long offset, long length, int source) {
        return counters.reception(window, offset, length, source);
    }

    /** Two counters over two ranges of a window, used in turn by the rounds of a pattern; they admit every rank. */
    public CounterPair counterPair(Window window, long evenOffset, long oddOffset, long length) {
        return counters.pair(window, evenOffset, oddOffset, length, CounterSettings.ANYBODY);
    }

    /** Two counters over two ranges of a window, used in turn by the rounds of a pattern; they admit one rank. */
    public CounterPair counterPair(Window window, long evenOffset, long oddOffset, long length, int source) {
        return counters.pair(window, evenOffset, oddOffset, length, source);
    }

    /** A counter of bytes that the engine has read from their source. */
    public InjectionCounter injectionCounter() {
        return counters.injection();
    }

    /** Lets peers find a counter by name. Everything about it is settled before. */
    public void publish(String name, ReceptionCounter counter) {
        names.publish(
                name,
                new NameDirectory.Entry(NameDirectory.COUNTER, counter.id(), counter.incarnation(), counter.length()));
    }

    /** Lets peers find a pair of counters by name. */
    public void publish(String name, CounterPair pair) {
        names.publish(
                name,
                new NameDirectory.Entry(
                        NameDirectory.PAIR, pair.id(), pair.counter(0).incarnation(), pair.length()));
    }

    /** True when the engine has carried out everything that was injected and replayed. */
    public boolean isDrained() {
        for (final Context context : contexts) {
            if (!context.isDrained()) {
                return false;
            }
        }
        return true;
    }

    /** Any thread: true if no other living thread has been the last to advance a context. */
    public boolean isFreeFor(Thread thread) {
        for (final Context context : contexts) {
            if (!context.isFreeFor(thread)) {
                return false;
            }
        }
        return true;
    }

    /** Any thread: ends the waits of all contexts, now and later. */
    public void close(String reason) {
        for (final Context context : contexts) {
            context.close(reason);
        }
    }
}
