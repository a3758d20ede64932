package org.segno.context;

import java.util.Arrays;
import org.segno.counter.CounterPair;
import org.segno.counter.CounterSettings;
import org.segno.counter.InjectionCounter;
import org.segno.counter.ReceptionCounter;
import org.segno.counter.Right;
import org.segno.geometry.Endpoint;
import org.segno.memory.NameDirectory;
import org.segno.memory.NodeMemory;
import org.segno.memory.Window;
import org.segno.reuse.Closing;
import org.segno.reuse.Closings;

/**
 * A share of a node's memory, counters and contexts: the node's own client, or one of several that were opened by name and have
 * exclusive shares. Any thread may make and close resources, of one client or of several; how many there may be at a time is
 * {@code NodeConfig}'s to say, or that of who opened the client. Once the node is closed every call that makes something throws
 * {@link org.segno.status.ClosedException}; a window or counter of another node is refused with an
 * {@link IllegalArgumentException}, because ids are each node's own.
 */
public final class Client {
    private final Clients all;
    private final Clients.Share share;
    private final Closings.Shared shared;
    private final Closings closings;
    private final NodeMemory node;
    private final Context[] contexts;

    /** Contexts that have been asked for: they are this client's for good. */
    private final boolean[] kept;

    Client(Clients all, Clients.Share share) {
        this.all = all;
        this.share = share;
        this.shared = all.shared();
        this.closings = new Closings(shared, share.windows(), share.counters());
        this.contexts = Arrays.copyOfRange(all.contexts(), share.first(), share.first() + share.count());
        this.node = contexts[0].node();
        this.kept = new boolean[contexts.length];
    }

    Clients.Share share() {
        return share;
    }

    Clients all() {
        return all;
    }

    /** The name that it was opened by; empty for the node's own client. */
    public String name() {
        return share.name();
    }

    /** The first context. */
    public Context context() {
        return context(0);
    }

    /**
     * A context by its number, from 0 and below how many were asked for with {@code NodeConfig.withContexts} or {@code ClientConfig}.
     *
     * @throws IllegalStateException if the node's own client is asked for one that another client was given; names it
     */
    public Context context(int index) {
        if (index < 0 || index >= contexts.length) {
            throw new IllegalArgumentException(
                    "context must be 0 to " + (contexts.length - 1) + ": context=" + index + "; raise withContexts");
        }
        if (!kept[index]) {
            if (share.number() == 0) {
                all.keep(index);
            }
            kept[index] = true;
        }
        return contexts[index];
    }

    /**
     * Waits until this client is there at {@code rank}, where it may have been opened in another order, and answers one of its contexts:
     * an {@link Endpoint}. Advances the first context, which the caller holds. Done once at start: it allocates.
     *
     * @param offset number of the context within the client there
     * @throws IllegalArgumentException if the client has fewer contexts there
     * @throws org.segno.status.PeerFailedException if the rank has died
     * @throws org.segno.status.ClosedException if it has left, the node was closed or the job has ended
     * @throws org.segno.status.DeadlineException at the deadline
     */
    public long endpoint(int rank, int offset, long deadlineNs) {
        final Context context = context(0);
        context.meeting.awaitClient(rank, deadlineNs);
        return Endpoint.of(rank, context.homes.number(rank), offset, context.homes.context(rank, offset));
    }

    /**
     * Opens a window of {@code bytes}, zeroed, aligned to 128 bytes, in the memory that {@code NodeConfig.withWindowBytes} asked for.
     *
     * @throws IllegalArgumentException if the arena or the window table has no room; says what is left and what to raise
     */
    public Window window(long bytes) {
        synchronized (shared) {
            prepare();
            return share.windows().open(bytes);
        }
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
        synchronized (shared) {
            prepare();
            share.windows().requireOwn(window);
            return share.counters().reception(window, offset, length, source, rights);
        }
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
        synchronized (shared) {
            prepare();
            share.windows().requireOwn(window);
            return share.counters().pair(window, evenOffset, oddOffset, length, source, rights);
        }
    }

    /**
     * A counter of bytes that the engine has read from their source: at or below zero the source may be overwritten.
     *
     * @throws IllegalStateException if all counters are in use; says what to raise
     */
    public InjectionCounter injectionCounter() {
        synchronized (shared) {
            prepare();
            return share.counters().injection();
        }
    }

    /**
     * Lets peers find a counter by name, until the name is withdrawn or the counter closed. Everything about it is settled before.
     *
     * @param name 1 to 96 bytes in UTF-8; each rank has names of its own, and uses each once at a time
     * @throws IllegalArgumentException if the name is too long or published already, or all names are in use
     */
    public void publish(String name, ReceptionCounter counter) {
        counter.requireOf(node);
        publish(
                name,
                new NameDirectory.Entry(NameDirectory.COUNTER, counter.id(), counter.incarnation(), counter.length()));
    }

    /** As the other {@code publish}, for a pair: the round decides which of the two is meant. */
    public void publish(String name, CounterPair pair) {
        pair.requireOf(node);
        publish(
                name,
                new NameDirectory.Entry(
                        NameDirectory.PAIR, pair.id(), pair.counter(0).incarnation(), pair.length()));
    }

    private void publish(String name, NameDirectory.Entry entry) {
        synchronized (shared) {
            requireOpen();
            if (name.isEmpty()) {
                throw new IllegalArgumentException(
                        "a name must have 1 to " + NameDirectory.MAX_NAME_BYTES + " bytes in UTF-8");
            }
            shared.names().publish(contexts[0].homes.published(name), entry);
        }
    }

    /**
     * Takes a name back: {@link Context#attach} finds it no more. Targets that were attached before are good as long as the counter is
     * open.
     *
     * @throws IllegalArgumentException if it is not published
     */
    public void withdraw(String name) {
        synchronized (shared) {
            requireOpen();
            shared.names().withdraw(contexts[0].homes.published(name));
        }
    }

    /**
     * Closes a window: it can be used no more, and its memory goes to windows that are opened later, once everything that was injected
     * before is carried out and nobody can write there any more. Never blocks; the answer tells when that is, and further opening
     * looks too.
     *
     * @throws IllegalStateException if an open counter stands over the window, or a pattern names it; says which, to be closed first
     */
    public Closing close(Window window) {
        window.requireOf(node);
        synchronized (shared) {
            prepare();
            return closings.close(window);
        }
    }

    /**
     * Closes a counter: its names are withdrawn, waits for it end, and what is sent to targets that were attached before is refused, for
     * ever, as stale. Its id goes to counters that are made later, once nobody can count there any more. Never blocks, as
     * {@link #close(Window)}.
     *
     * @throws IllegalStateException if a pattern arms the counter; says which, to be closed first
     */
    public Closing close(ReceptionCounter counter) {
        counter.requireOf(node);
        synchronized (shared) {
            prepare();
            return closings.close(counter);
        }
    }

    /** Closes both counters of a pair, as {@link #close(ReceptionCounter)} does one. */
    public Closing close(CounterPair pair) {
        pair.requireOf(node);
        synchronized (shared) {
            prepare();
            return closings.close(pair);
        }
    }

    /**
     * Closes a counter of bytes read: its id goes to others once everything that was injected before is carried out.
     *
     * @throws IllegalStateException if a pattern names the counter; says which, to be closed first
     */
    public Closing close(InjectionCounter counter) {
        counter.requireOf(node);
        synchronized (shared) {
            prepare();
            return closings.close(counter);
        }
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

    /** True when the engine has carried out everything that was injected, recorded and replayed in any context of the client. */
    public boolean isDrained() {
        for (int i = 0; i < contexts.length; i++) {
            if ((share.number() != 0 || all.isOwn(i)) && !contexts[i].isDrained()) {
                return false;
            }
        }
        return true;
    }

    private void requireOpen() {
        // All contexts are closed together.
        contexts[0].requireOpen();
    }

    private void prepare() {
        requireOpen();
        closings.poll();
    }

    @Override
    public String toString() {
        return (share.number() == 0 ? "the node's own client" : "client \"" + share.name() + "\"") + " with "
                + (share.number() == 0 ? all.ownContexts() : contexts.length) + " contexts, " + share.counters() + ", "
                + share.windows();
    }
}
