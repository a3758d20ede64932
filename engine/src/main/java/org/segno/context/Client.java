package org.segno.context;

import java.util.List;
import java.util.Objects;
import java.util.SortedMap;
import java.util.concurrent.atomic.AtomicReferenceArray;
import org.jspecify.annotations.Nullable;
import org.segno.combine.UserOperator;
import org.segno.engine.counter.CounterRange;
import org.segno.engine.counter.PairRange;
import org.segno.engine.memory.NameDirectory;
import org.segno.engine.memory.NodeMemory;
import org.segno.engine.reuse.Closings;
import org.segno.geometry.Endpoint;
import org.segno.memory.Closing;
import org.segno.memory.CounterPair;
import org.segno.memory.InjectionCounter;
import org.segno.memory.MemoryAccess;
import org.segno.memory.ReceptionCounter;
import org.segno.memory.Right;
import org.segno.memory.Window;
import org.segno.status.Status;

/**
 * A share of a node's memory, counters and contexts. It is either the node's own client, or one of several clients that
 * were opened by name with exclusive shares.
 *
 * <p>Any thread may make and close resources, of one client or of several. {@code NodeConfig}, or the
 * {@code ClientConfig} of an opened client, limits the number of resources at a time. Once the node is closed, every
 * call that makes something throws {@link org.segno.status.ClosedException}, and so does every call of a client that
 * was closed by {@link #close()}. A window or counter of another node is refused with an
 * {@link IllegalArgumentException}, because ids are local to a node.
 */
public final class Client {
    private final ClientRegistry registry;
    private final ClientShare share;
    private final Closings.Shared shared;
    private final Closings closings;
    private final NodeMemory node;

    /** Thread that opened the client. Under FUNNELED and SINGLE it uses the contexts that {@link #context} creates. */
    private final Thread opener = Thread.currentThread();

    /** Contexts that the application has obtained, by number. They remain with this client. */
    private final AtomicReferenceArray<@Nullable Context> obtained;

    private final Closings closingsOfNode;

    /** Closing of this client, or null while it is open. Written under the monitor of the shared state. */
    private volatile @Nullable Closing closing;

    /** Creates the client of a share, beside the node's own client, or that client itself if {@code own} is null. */
    Client(ClientRegistry registry, ClientShare share, @Nullable Client own) {
        this.registry = registry;
        this.share = share;
        this.shared = registry.shared();
        this.closings = new Closings(shared, share.windows(), share.counters());
        this.node = registry.node();
        this.obtained = new AtomicReferenceArray<>(share.count());
        this.closingsOfNode = own == null ? closings : own.closings;
    }

    ClientShare share() {
        return share;
    }

    /** Returns the contexts of this client by number. Creates those that do not exist. */
    SortedMap<Integer, Context> contexts() {
        requireOpen();
        return registry.all(share, opener);
    }

    ClientRegistry registry() {
        return registry;
    }

    /** Returns the name under which this client was opened; empty for the node's own client. */
    public String name() {
        return share.name();
    }

    /**
     * Returns the ranks that take part in this client, in ascending order: those of {@code ClientConfig.withTasks}, or
     * all ranks of the job. Every call returns a new array.
     */
    public int[] tasks() {
        return share.tasks().toArray();
    }

    /** Returns the first context, which exists from the start. */
    public Context context() {
        return context(0);
    }

    /**
     * Returns a context by its number, from 0 to below the count given to {@code NodeConfig.withContexts} or
     * {@code ClientConfig}. The first call for a number creates the context if it does not exist, as
     * {@link #createContext} does, but for the thread that opened this client.
     *
     * @throws IllegalStateException if this is the node's own client and the context was given to another client; the
     *     message names that client
     */
    public Context context(int index) {
        if (index < 0 || index >= obtained.length()) {
            throw new IllegalArgumentException("context must be 0 to " + (obtained.length() - 1) + ": context=" + index
                    + (index < 0 ? "" : "; raise withContexts"));
        }
        final Context known = obtained.getAcquire(index);
        if (known != null) {
            return known;
        }
        requireOpen();
        final Context context = registry.obtain(share, share.first() + index, opener);
        obtained.setRelease(index, context);
        return context;
    }

    /**
     * Creates one more context: that of the lowest number which does not exist yet. The first one exists from the
     * start. {@code NodeConfig.withContexts} or {@code ClientConfig} reserves their number, and the memory of their
     * FIFOs and lanes. Any thread may call this at any time after the join. Under {@code FUNNELED} and {@code SINGLE}
     * the calling thread is the one that uses the context; under {@code INVOKER} the thread that advances the context
     * runs its engine, which rests until then.
     *
     * <p>Peers may send to a reserved context before it exists. Their messages wait in its lanes, and the first
     * {@code advance} after the registration of handlers delivers them. A sender that finds its lane full gets
     * {@link org.segno.status.Status#BACK_PRESSURED}, as for a context that nobody advances.
     *
     * @throws IllegalStateException if all reserved contexts exist; the message names the setting to raise
     * @throws org.segno.status.ClosedException once the node is closed
     */
    public Context createContext() {
        requireOpen();
        final Context context = registry.createNext(share, Thread.currentThread());
        obtained.setRelease(Endpoint.context(context.endpoint()) - share.first(), context);
        return context;
    }

    /**
     * Returns the number of contexts that are reserved for this client, created or not. For the node's own client it
     * includes those that were given to other clients.
     */
    public int reservedContexts() {
        return share.count();
    }

    /**
     * Waits until {@code rank} has opened this client, and returns the {@link Endpoint} of one of its contexts there.
     * Ranks may open clients in different orders. If the rank has closed the client, the wait is for it to open the
     * client again. Each call asks a linked rank. If its reply is not there at the deadline, the client that was found
     * last is used. Sends to a rank also use the client that was found last. The wait advances the first
     * context, which the caller must hold. Intended for start-up: it allocates.
     *
     * @param offset number of the context within the client at {@code rank}
     * @throws IllegalArgumentException if the client has fewer contexts at {@code rank}
     * @throws org.segno.status.PeerFailedException if the rank has died
     * @throws org.segno.status.ClosedException if the rank has left, the node was closed or the job has ended
     * @throws org.segno.status.DeadlineException at the deadline
     */
    public long endpoint(int rank, int offset, long deadlineNs) {
        final Context context = context(0);
        context.directory().awaitClient(rank, deadlineNs);
        final int contextId = context.contexts().context(rank, offset);
        return Endpoint.of(
                rank,
                context.contexts().number(rank),
                offset,
                Endpoint.contextOf(contextId),
                Endpoint.useOf(contextId));
    }

    /**
     * Registers an operator for {@code Context.combine}. The numbers are those of the node: its clients share them, and
     * an operator remains registered. Ranks may register different operators under one number, unless a collective uses
     * it. A restarted program registers its operators before it replays a saved pattern that names them.
     *
     * @param number 0 to 127
     * @throws IllegalStateException if the number has another operator
     */
    public void operator(int number, UserOperator operator) {
        Objects.requireNonNull(operator, "operator");
        requireOpen();
        registry.operators().register(number, operator);
    }

    /**
     * Opens a window of {@code bytes}, zeroed and aligned to 128 bytes, in the memory reserved by
     * {@code NodeConfig.withWindowBytes}, or for a client that was opened by name {@code ClientConfig.withWindowBytes}.
     *
     * @throws IllegalArgumentException if the arena or the window table has no room; the message reports the remainder
     *     and the setting to raise
     */
    public Window window(long bytes) {
        synchronized (shared) {
            prepare();
            return share.windows().open(bytes);
        }
    }

    /**
     * Returns a new counter over {@code length} bytes of a window, starting at {@code offset}. Every rank may write to
     * it. Its value is zero.
     *
     * @throws IllegalArgumentException if the range lies outside the window
     * @throws IllegalStateException if all counters are in use; the message names the setting to raise
     */
    public ReceptionCounter receptionCounter(Window window, long offset, long length) {
        return receptionCounter(window, offset, length, ReceptionCounter.ANYBODY);
    }

    /**
     * Returns a new counter, as the other {@code receptionCounter} does, with restricted access. Only rank
     * {@code source}, or every rank for {@link ReceptionCounter#ANYBODY}, is admitted, and only for the given
     * {@code rights}. Without any, the only right is {@link Right#PUT}. Every other operation is refused. In a client
     * with {@code ClientConfig.withTasks}, {@code ANYBODY} admits every task.
     *
     * @throws IllegalArgumentException also if {@code source} is not one of the {@link #tasks}
     */
    public ReceptionCounter receptionCounter(Window window, long offset, long length, int source, Right... rights) {
        synchronized (shared) {
            prepare();
            share.windows().requireOwn(window);
            return share.counters().reception(window, offset, length, source, rights);
        }
    }

    /**
     * Returns a new counter, as the other {@code receptionCounter} does, that admits the ranks of {@code sources}. The
     * death of another rank does not affect the waits for it.
     *
     * @param sources tasks of this client in any order; an empty array admits no rank
     * @throws IllegalStateException also if too many different sets of ranks are in use, in a job of more than 2,048
     *     ranks
     */
    public ReceptionCounter receptionCounter(Window window, long offset, long length, int[] sources, Right... rights) {
        synchronized (shared) {
            prepare();
            share.windows().requireOwn(window);
            return share.counters().reception(window, offset, length, sources, rights);
        }
    }

    /**
     * Returns a new counter over {@code length} bytes of its own, zeroed, in the cache line of its value. A PUT of so
     * few bytes and its count are then one transfer of a line between two cores, instead of two.
     * {@link ReceptionCounter#buffer} reads them. Use it for short messages to few ranks that are awaited at once;
     * everything else belongs in a window.
     *
     * @param length 1 to 56
     * @param source as for a counter over a window
     * @throws IllegalStateException if all counters are in use; the message names the setting to raise
     */
    public ReceptionCounter receptionCounter(int length, int source, Right... rights) {
        synchronized (shared) {
            prepare();
            return share.counters().inLine(length, source, rights);
        }
    }

    /** Returns a new counter over bytes of its own, as the other one, that admits the ranks of {@code sources}. */
    public ReceptionCounter receptionCounter(int length, int[] sources, Right... rights) {
        synchronized (shared) {
            prepare();
            return share.counters().inLine(length, sources, rights);
        }
    }

    /**
     * Enables a counter again that {@link ReceptionCounter#disable} has disabled, over another range, for another
     * source or with other rights. Its id, its names, its handler and its error on underflow remain; its value becomes
     * zero. It is another use of the id: operations on targets that were attached before are refused as stale, forever,
     * and peers attach again. Otherwise a descriptor or a pattern of a peer that was made for the old range, and is
     * executed late, would land in the new one.
     *
     * <p>The counter must be quiet: nothing that it admitted before can still land. The first call after
     * {@code disable} begins to observe that, and each call checks the progress, as a {@link Closing} does. Never
     * blocks. Called by the thread that uses the counter; no other thread uses it meanwhile.
     *
     * @param source a rank, {@link ReceptionCounter#ANYBODY} or {@link ReceptionCounter#NOBODY}
     * @return 0, or {@link Status#BUSY} while the counter is not quiet: advance, then call again
     * @throws IllegalStateException if the counter is enabled, or a pattern arms it; the message names the pattern to
     *     close first
     * @throws IllegalArgumentException if the range lies outside the window, or the counter is one of a pair, which is
     *     enabled with the pair
     */
    public long enable(ReceptionCounter counter, Window window, long offset, long length, int source, Right... rights) {
        counter.requireOf(node);
        synchronized (shared) {
            prepare();
            share.windows().requireOwn(window);
            return enable(counter, share.counters().range(window, offset, length, source, rights));
        }
    }

    /** Enables a counter as the other {@code enable} does, for the ranks of {@code sources}. */
    public long enable(
            ReceptionCounter counter, Window window, long offset, long length, int[] sources, Right... rights) {
        counter.requireOf(node);
        synchronized (shared) {
            prepare();
            share.windows().requireOwn(window);
            return enable(counter, share.counters().range(window, offset, length, sources, rights));
        }
    }

    private long enable(ReceptionCounter counter, CounterRange range) {
        return closings.enable(counter, range) ? 0 : Status.BUSY;
    }

    /**
     * Enables both counters of a pair again, as the other {@code enable} does for one. {@link CounterPair#disable} has
     * disabled both. Neither is changed before both are quiet and can be enabled.
     *
     * @throws IllegalStateException if one of the two is enabled, or a pattern arms it; the message names the pattern
     *     to close first
     * @throws IllegalArgumentException if a range lies outside the window, or the two overlap and are not the same
     */
    public long enable(CounterPair pair, Window window, CounterPair.Sets sets, int source, Right... rights) {
        pair.requireOf(node);
        synchronized (shared) {
            prepare();
            share.windows().requireOwn(window);
            return enable(
                    pair,
                    share.counters()
                            .ranges(window, sets.evenOffset(), sets.oddOffset(), sets.length(), source, rights));
        }
    }

    /** Enables a pair as the other {@code enable} does, for the ranks of {@code sources}. */
    public long enable(CounterPair pair, Window window, CounterPair.Sets sets, int[] sources, Right... rights) {
        pair.requireOf(node);
        synchronized (shared) {
            prepare();
            share.windows().requireOwn(window);
            return enable(
                    pair,
                    share.counters()
                            .ranges(window, sets.evenOffset(), sets.oddOffset(), sets.length(), sources, rights));
        }
    }

    private long enable(CounterPair pair, PairRange range) {
        return closings.enable(pair, range) ? 0 : Status.BUSY;
    }

    /**
     * Returns two new counters over {@code length} bytes each of a window. The rounds of a pattern use them
     * alternately. Every rank may write.
     *
     * <p>With two equal offsets, all rounds land in the same bytes. A sender must then know that the bytes of the last
     * round have been read: for example, the receiver sends it a count when it begins a round, and it waits for that.
     *
     * @throws IllegalArgumentException if a range lies outside the window, or the two overlap and are not the same
     * @throws IllegalStateException if too few counters are left; the message names the setting to raise
     */
    public CounterPair counterPair(Window window, long evenOffset, long oddOffset, long length) {
        return counterPair(window, evenOffset, oddOffset, length, ReceptionCounter.ANYBODY);
    }

    /**
     * Returns a new pair, as the other {@code counterPair} does, with one source and rights as for a single counter.
     */
    public CounterPair counterPair(
            Window window, long evenOffset, long oddOffset, long length, int source, Right... rights) {
        synchronized (shared) {
            prepare();
            share.windows().requireOwn(window);
            return share.counters().pair(window, evenOffset, oddOffset, length, source, rights);
        }
    }

    /** Returns a new pair, as the other {@code counterPair} does, with several sources as for a single counter. */
    public CounterPair counterPair(
            Window window, long evenOffset, long oddOffset, long length, int[] sources, Right... rights) {
        synchronized (shared) {
            prepare();
            share.windows().requireOwn(window);
            return share.counters().pair(window, evenOffset, oddOffset, length, sources, rights);
        }
    }

    /**
     * Returns a new counter of bytes that the engine still has to read from their source. At or below zero the source
     * may be overwritten.
     *
     * @throws IllegalStateException if all counters are in use; the message names the setting to raise
     */
    public InjectionCounter injectionCounter() {
        synchronized (shared) {
            prepare();
            return share.counters().injection();
        }
    }

    /**
     * Publishes a counter under a name, by which peers find it until the name is withdrawn or the counter is closed.
     * All settings of the counter must be made before.
     *
     * @param name 1 to 96 bytes in UTF-8; names are local to a rank and unique at a time
     * @throws IllegalArgumentException if the name is too long or already published, or all names are in use
     */
    public void publish(String name, ReceptionCounter counter) {
        counter.requireOf(node);
        publish(
                name,
                new NameDirectory.Entry(NameDirectory.COUNTER, counter.id(), counter.incarnation(), counter.length()));
    }

    /** Publishes a pair, as the other {@code publish} does. The round selects one of its two counters. */
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
            shared.names().publish(ContextDirectory.prefix(share.name()) + name, entry);
        }
    }

    /**
     * Withdraws a name, so that {@link Context#attach} no longer finds it. Targets that were attached before stay valid
     * as long as the counter is open.
     *
     * @throws IllegalArgumentException if it is not published
     */
    public void withdraw(String name) {
        Objects.requireNonNull(name, "name");
        synchronized (shared) {
            requireOpen();
            shared.names().withdraw(ContextDirectory.prefix(share.name()) + name);
        }
    }

    /**
     * Closes a window, which can no longer be used. Its memory becomes available to later windows once everything
     * injected before is carried out and no rank can write there any more. Never blocks: the returned {@link Closing}
     * reports completion, and every later call that opens a resource polls it, too.
     *
     * @throws IllegalStateException if an open counter covers the window, or a pattern names it; the message names the
     *     one to close first
     */
    public Closing close(Window window) {
        MemoryAccess.requireOf(window, node);
        synchronized (shared) {
            prepare();
            return closings.close(window);
        }
    }

    /**
     * Closes a counter. Its names are withdrawn and waits for it end. Operations on targets that were attached before
     * are refused as stale, forever. Its id becomes available to later counters once no rank can count there any more.
     * Never blocks, as {@link #close(Window)}.
     *
     * @throws IllegalStateException if a pattern arms the counter; the message names the pattern to close first
     */
    public Closing close(ReceptionCounter counter) {
        counter.requireOf(node);
        synchronized (shared) {
            prepare();
            return closings.close(counter);
        }
    }

    /** Closes both counters of a pair, as {@link #close(ReceptionCounter)} closes one. */
    public Closing close(CounterPair pair) {
        pair.requireOf(node);
        synchronized (shared) {
            prepare();
            return closings.close(pair);
        }
    }

    /**
     * Closes a pair at the end of a round, which is the last one to use it: once the counter of the round is at or
     * below {@code value}. The pattern of that round is closed.
     */
    void closeAfter(CounterPair pair, long round, long value) {
        pair.requireOf(node);
        synchronized (shared) {
            prepare();
            closings.closeAfter(pair, round, value);
        }
    }

    /**
     * Closes an injection counter. Its id becomes available to others once everything injected before is carried out. A
     * WAIT for the counter that what was injected does not satisfy holds its FIFO and this closing for ever, because
     * nobody can change a closed counter; it ends if an operation with the counter was refused.
     *
     * @throws IllegalStateException if a pattern names the counter; the message names the pattern to close first
     */
    public Closing close(InjectionCounter counter) {
        counter.requireOf(node);
        synchronized (shared) {
            prepare();
            return closings.close(counter);
        }
    }

    /** Returns a new pair over memory in the lines of its values, which the given ranks may write. */
    CounterPair counterPairInLines(int length, int[] ranks) {
        synchronized (shared) {
            prepare();
            return share.counters().pairInLines(length, ranks);
        }
    }

    /** Returns the number of counter pairs that this client can open. */
    long freePairs() {
        synchronized (shared) {
            prepare();
            return share.counters().freePairs();
        }
    }

    /** Returns the number of windows that the clients of this node can open together. */
    long freeWindows() {
        synchronized (shared) {
            prepare();
            return share.windows().freeEntries();
        }
    }

    /** Returns the closings that are not done. */
    List<Closing> closings() {
        synchronized (shared) {
            prepare();
            return closings.pending();
        }
    }

    /**
     * Advances {@code context}, which the caller must hold, until {@code closing} is done.
     *
     * @throws org.segno.status.DeadlineException at the deadline; the message describes the pending operation
     * @throws org.segno.status.ClosedException if the node was closed or the job has ended
     */
    public void await(Closing closing, Context context, long deadlineNs) {
        Objects.requireNonNull(closing, "closing");
        context.await(new Condition.Closed(closing), deadlineNs);
        // Under INVOKER the caller may go on with other contexts only, while peers wait for the same quiet.
        context.passes().rest();
    }

    /**
     * Returns true when the engine has carried out everything that was injected, recorded and replayed in all contexts
     * of this client.
     */
    public boolean isDrained() {
        final List<Context> created = registry.created();
        for (int i = 0; i < created.size(); i++) {
            final Context context = created.get(i);
            if (registry.holds(share, Endpoint.context(context.endpoint())) && !context.isDrained()) {
                return false;
            }
        }
        return true;
    }

    /**
     * Closes this client, which was opened by name. From now on its calls and those of its contexts are refused, peers
     * no longer find it, and messages to it are refused to their senders. Its name and the names of its counters are
     * withdrawn. Waits in progress on its contexts end with {@link org.segno.status.ClosedException}.
     *
     * <p>Posted work runs once more within this call, unless another thread uses the context. What was injected,
     * recorded and queued before is carried out; what is held at a WAIT ends when the other ranks that it
     * waits for have left, even if this rank could still satisfy it. Then the client's patterns, counters and windows
     * are closed. Messages that no handler has accepted are dropped; the metrics count them, and the error log reports
     * them. Once no rank
     * can write there any more, the contexts, counters and memory return to the node's own client, for clients that are
     * opened later. A context has {@value Endpoint#USES} uses in a job, and then remains unused. Endpoints, targets and
     * recorded sections of peers that name the closed client are refused as stale, forever. A rank that opens the
     * client again may find the one that a peer is about to close: where all ranks close and open it, a barrier of
     * another client separates the two.
     *
     * <p>Never blocks: the returned {@link Closing} reports completion. Under {@code INVOKER} its check also runs the
     * engines of the client's contexts, so that it must be checked, for example by {@link #await} of another client. It
     * also waits for other threads to leave the client's contexts: until a call of the last thread that advanced a
     * context is refused, or the thread has ended; under {@code MULTIPLE} until its lock is free. Any thread may call
     * this while no other thread injects. Further calls have no effect and return the same {@link Closing}.
     *
     * @throws IllegalStateException for the node's own client, which is closed with its node; in a handler or in posted
     *     work of one of its contexts
     * @throws org.segno.status.ClosedException if the node was closed
     */
    public Closing close() {
        if (share.number() == 0) {
            throw new IllegalStateException("the node's own client cannot be closed: close the node, or open a client"
                    + " with Node.openClient");
        }
        final Closing begun = closing;
        if (begun != null) {
            return begun;
        }
        registry.requireOpen();
        final List<Context> contexts = leave();
        // Work may post and inject, so it runs before the injection ends, and without the monitor.
        contexts.forEach(Context::runPosted);
        synchronized (shared) {
            registry.requireOpen();
            final Closing other = closing;
            if (other != null) {
                return other;
            }
            final Closing mine = registry.close(share, closings, closingsOfNode, registry.closedReason(share));
            closing = mine;
            for (int i = 0; i < obtained.length(); i++) {
                obtained.setRelease(i, null);
            }
            return mine;
        }
    }

    /** Returns the contexts that exist. Checks that this thread is not within a pass of one of them. */
    private List<Context> leave() {
        synchronized (shared) {
            final List<Context> contexts = registry.contextsOf(share);
            for (final Context context : contexts) {
                if (context.passes().isInPass()) {
                    throw new IllegalStateException("a handler or posted work of " + context + " cannot close its "
                            + share.title() + ", because it runs within advance: close it after advance has returned");
                }
            }
            return contexts;
        }
    }

    private void requireOpen() {
        registry.requireOpen();
        if (closing != null) {
            throw SinkSelector.closed(registry.closedReason(share));
        }
    }

    private void prepare() {
        requireOpen();
        closings.poll();
    }

    @Override
    public String toString() {
        return registry.describe(share);
    }
}
