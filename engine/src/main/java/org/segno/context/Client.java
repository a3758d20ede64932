package org.segno.context;

import org.segno.counter.CounterGroup;
import org.segno.counter.CounterPair;
import org.segno.counter.CounterSettings;
import org.segno.counter.InjectionCounter;
import org.segno.counter.ReceptionCounter;
import org.segno.counter.Right;
import org.segno.fifo.FifoPositions;
import org.segno.memory.NameDirectory;
import org.segno.memory.Window;
import org.segno.reuse.Closing;
import org.segno.reuse.Closings;
import org.segno.reuse.QuietEngines;

/**
 * A share of a node's memory, counters and contexts. Resources are made and closed by one thread at a time; how many there may be at
 * a time is {@code NodeConfig}'s to say. Once the node is closed every call that makes something throws
 * {@link org.segno.status.ClosedException}; a window or counter of another node is refused with an
 * {@link IllegalArgumentException}, because ids are each node's own.
 */
public final class Client {
    private final NodeShare share;
    private final CounterGroup counters;
    private final NameDirectory names;
    private final Closings closings;
    private final Context[] contexts;

    /** Made by the node, once: {@link NodeShare#openClient}. */
    Client(NodeShare share) {
        this.share = share;
        this.counters = new CounterGroup(share.node());
        this.names = new NameDirectory(share.node());
        this.closings = new Closings(
                share.node().rank(),
                share.windows(),
                counters,
                names,
                new QuietEngines(share.peers(), share.states(), share.processIsGone()),
                () -> new FifoPositions(share.node())::awaited);
        this.contexts = new Context[share.node().layout().dimensions().contexts()];
        final ReceptionCounter[] barriers = new ReceptionCounter[contexts.length];
        for (int i = 0; i < contexts.length; i++) {
            // The first counters of every node, so that barriers need no directory: context i uses counter i
            // everywhere.
            barriers[i] = counters.bare(CounterSettings.ANYBODY);
        }
        for (int i = 0; i < contexts.length; i++) {
            contexts[i] = new Context(share, counters, closings.pins(), barriers[i], i);
        }
    }

    /** The first context. */
    public Context context() {
        return contexts[0];
    }

    /** A context by its number, from 0 and below {@code NodeConfig.withContexts}. */
    public Context context(int index) {
        if (index < 0 || index >= contexts.length) {
            throw new IllegalArgumentException(
                    "context must be 0 to " + (contexts.length - 1) + ": context=" + index + "; raise withContexts");
        }
        return contexts[index];
    }

    /**
     * Opens a window of {@code bytes}, zeroed, aligned to 128 bytes, in the memory that {@code NodeConfig.withWindowBytes} asked for.
     *
     * @throws IllegalArgumentException if the arena or the window table has no room; says what is left and what to raise
     */
    public Window window(long bytes) {
        requireOpen();
        closings.poll();
        return share.windows().open(bytes);
    }

    /**
     * A counter over {@code length} bytes of a window from {@code offset} on, which every rank may write. Its value is zero.
     *
     * @throws IllegalArgumentException if the range lies outside the window
     * @throws IllegalStateException if all counters are in use; says what to raise
     */
    public ReceptionCounter receptionCounter(Window window, long offset, long length) {
        return receptionCounter(window, offset, length, CounterSettings.ANYBODY);
    }

    /**
     * As the other {@code receptionCounter}, but only rank {@code source}, or {@link CounterSettings#ANYBODY}, is admitted, to what
     * {@code rights} says and nothing else; none named is {@link Right#PUT} alone. What goes beyond is refused.
     */
    public ReceptionCounter receptionCounter(Window window, long offset, long length, int source, Right... rights) {
        requireOpen();
        closings.poll();
        return counters.reception(window, offset, length, source, rights);
    }

    /**
     * Two counters over {@code length} bytes each of a window, used in turn by the rounds of a pattern; every rank may write.
     *
     * @throws IllegalArgumentException if a range lies outside the window, or the two overlap
     * @throws IllegalStateException if not enough counters are left; says what to raise
     */
    public CounterPair counterPair(Window window, long evenOffset, long oddOffset, long length) {
        return counterPair(window, evenOffset, oddOffset, length, CounterSettings.ANYBODY);
    }

    /** As the other {@code counterPair}, with one source and rights as of a single counter. */
    public CounterPair counterPair(
            Window window, long evenOffset, long oddOffset, long length, int source, Right... rights) {
        requireOpen();
        closings.poll();
        return counters.pair(window, evenOffset, oddOffset, length, source, rights);
    }

    /**
     * A counter of bytes that the engine has read from their source: at or below zero the source may be overwritten.
     *
     * @throws IllegalStateException if all counters are in use; says what to raise
     */
    public InjectionCounter injectionCounter() {
        requireOpen();
        closings.poll();
        return counters.injection();
    }

    /**
     * Lets peers find a counter by name, until the name is withdrawn or the counter closed. Everything about it is settled before.
     *
     * @param name 1 to 96 bytes in UTF-8; each rank has names of its own, and uses each once at a time
     * @throws IllegalArgumentException if the name is too long or published already, or all names are in use
     */
    public void publish(String name, ReceptionCounter counter) {
        requireOpen();
        counter.requireOf(share.node());
        names.publish(
                name,
                new NameDirectory.Entry(NameDirectory.COUNTER, counter.id(), counter.incarnation(), counter.length()));
    }

    /** As the other {@code publish}, for a pair: the round decides which of the two is meant. */
    public void publish(String name, CounterPair pair) {
        requireOpen();
        pair.requireOf(share.node());
        names.publish(
                name,
                new NameDirectory.Entry(
                        NameDirectory.PAIR, pair.id(), pair.counter(0).incarnation(), pair.length()));
    }

    /**
     * Takes a name back: {@link Context#attach} finds it no more. Targets that were attached before are good as long as the counter is
     * open.
     *
     * @throws IllegalArgumentException if it is not published
     */
    public void withdraw(String name) {
        requireOpen();
        names.withdraw(name);
    }

    /**
     * Closes a window: it can be used no more, and its memory goes to windows that are opened later, once everything that was injected
     * before is carried out and nobody can write there any more. Never blocks; the answer tells when that is, and further opening
     * looks too.
     *
     * @throws IllegalStateException if an open counter stands over the window, or a pattern names it; says which, to be closed first
     */
    public Closing close(Window window) {
        requireOpen();
        window.requireOf(share.node());
        closings.poll();
        return closings.close(window);
    }

    /**
     * Closes a counter: its names are withdrawn, waits for it end, and what is sent to targets that were attached before is refused, for
     * ever, as stale. Its id goes to counters that are made later, once nobody can count there any more. Never blocks, as
     * {@link #close(Window)}.
     *
     * @throws IllegalStateException if a pattern arms the counter; says which, to be closed first
     */
    public Closing close(ReceptionCounter counter) {
        requireOpen();
        counter.requireOf(share.node());
        closings.poll();
        return closings.close(counter);
    }

    /** Closes both counters of a pair, as {@link #close(ReceptionCounter)} does one. */
    public Closing close(CounterPair pair) {
        requireOpen();
        pair.requireOf(share.node());
        closings.poll();
        return closings.close(pair);
    }

    /**
     * Closes a counter of bytes read: its id goes to others once everything that was injected before is carried out.
     *
     * @throws IllegalStateException if a pattern names the counter; says which, to be closed first
     */
    public Closing close(InjectionCounter counter) {
        requireOpen();
        counter.requireOf(share.node());
        closings.poll();
        return closings.close(counter);
    }

    /**
     * Advances {@code context}, which the caller holds, until what is being closed is closed.
     *
     * @throws org.segno.status.DeadlineException at the deadline; says what is waited for
     * @throws org.segno.status.ClosedException if the node was closed or the job has ended
     */
    public void await(Closing closing, Context context, long deadlineNs) {
        context.await(new Condition.Closed(closing), deadlineNs);
    }

    /** True when the engine has carried out everything that was injected, recorded and replayed in any context. */
    public boolean isDrained() {
        for (final Context context : contexts) {
            if (!context.isDrained()) {
                return false;
            }
        }
        return true;
    }

    /** Any thread: true if no other living thread has been the last to advance a context. */
    boolean isFreeFor(Thread thread) {
        for (final Context context : contexts) {
            if (!context.isFreeFor(thread)) {
                return false;
            }
        }
        return true;
    }

    /** Any thread: ends the threads that advance contexts by themselves. */
    void endProgress() {
        for (final Context context : contexts) {
            context.endProgress();
        }
    }

    private void requireOpen() {
        // All contexts are closed together.
        contexts[0].requireOpen();
    }

    /** Any thread: ends the waits of all contexts, now and later, and what they inject. */
    void close(String reason) {
        for (final Context context : contexts) {
            context.close(reason);
        }
    }
}
