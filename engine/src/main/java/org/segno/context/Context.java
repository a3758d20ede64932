package org.segno.context;

import java.util.List;
import java.util.Objects;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.BooleanSupplier;
import java.util.function.Supplier;
import org.agrona.concurrent.IdleStrategy;
import org.jspecify.annotations.Nullable;
import org.segno.engine.doorbell.Doorbell;
import org.segno.engine.fifo.FifoMetadata;
import org.segno.engine.fifo.LinkedLanes;
import org.segno.engine.memory.PeerStates;
import org.segno.engine.metrics.NodeMetrics;
import org.segno.engine.work.ContextLock;
import org.segno.engine.work.Pass;
import org.segno.engine.work.ThreadRule;
import org.segno.engine.work.WorkQueue;
import org.segno.geometry.Endpoint;
import org.segno.memory.InjectionCounter;
import org.segno.memory.MemoryAccess;
import org.segno.memory.ReceptionCounter;
import org.segno.memory.Target;
import org.segno.memory.Window;
import org.segno.operation.ActiveMessageHandler;
import org.segno.operation.CounterHandler;
import org.segno.operation.DeathHandler;
import org.segno.operation.NotificationHandler;
import org.segno.operation.ReplyingHandler;
import org.segno.operation.ThreadLevel;
import org.segno.operation.Work;
import org.segno.pattern.Pattern;
import org.segno.pattern.PatternAccess;
import org.segno.pattern.PatternBuffer;
import org.segno.pattern.Rounds;
import org.segno.status.ClosedException;
import org.segno.status.PeerFailedException;
import org.segno.status.SegnoException;
import org.segno.status.Status;

/**
 * A threading point: injects descriptors, advances, waits, records and replays.
 *
 * <p>One thread at a time uses a context. Any thread may {@link #post} work to it, and threads that share it
 * {@link #lock} it. {@code NodeConfig.withThreadLevel} declares which threads may call. The rule is checked where
 * Java's assertions are enabled.
 *
 * <p>Deadlines are absolute, as returned by {@link org.segno.status.Deadline#in}. Every wait advances the context, so
 * that handlers run within it. A wait that cannot succeed ends with one of the four kinds of
 * {@link org.segno.status.SegnoException}.
 */
public final class Context extends Injector {
    /** Polls of a counter before a wait starts to check deadlines and peers; some microseconds. */
    private static final int CLOSE_CHECKS = 100;

    /** Looks at the counter after each pass of them. They take less than two passes. */
    private static final int LOOKS = 4;

    private final int index;
    private final ThreadRule threads;
    private final ContextLock lock;
    private final ThreadLevel level;
    private final Supplier<IdleStrategy> idle;
    private final PeerStates states;
    private final Replays replays;
    private final PatternBuffer patterns;
    private final FifoMetadata fifo;
    private final FifoSet fifos;
    private final Reception reception;
    private final PassRunner passes;
    private final Waiter waiter;
    private final Directory directory;
    private final Barrier barrier;
    private final Recordings recordings;
    private final Loans loans;
    private final int closeChecks;
    private final int looks;
    private final List<InjectionFifo> further = new CopyOnWriteArrayList<>();
    private volatile @Nullable ProgressThread progress;

    // Threads that post read these three, which are therefore not on a cache line that the advancing thread writes.
    private final WorkQueue work;
    private final @Nullable Doorbell doorbell;
    private volatile boolean closed;

    /** True once the client is closed and the parts of the context have another use. */
    private volatile boolean released;

    private Context(
            NodeShare share, int index, ReceptionCounter barrierCounter, ContextParts parts, ThreadRule threads) {
        super(share, new ContextDirectory(share, index), new SinkSelector(parts.own(), parts.patterns(), threads));
        contexts().openCheck(sinks()::requireOpen);
        this.index = index;
        this.threads = threads;
        this.lock = threads.lock();
        this.level = share.threadLevel();
        this.idle = share.idle();
        this.states = share.states();
        final NodeMetrics metrics = share.metrics().get(index);
        this.patterns = parts.patterns();
        this.fifo = parts.own().metadata();
        this.fifos = new FifoSet(share.node(), index, parts);
        this.reception = new Reception(share, index, this, parts, fifos);
        this.passes = new PassRunner(
                toString(),
                share.engines().isEmpty() ? null : share.engines().get(index),
                threads,
                sinks(),
                fifos,
                reception);
        parts.own().direct(passes.direct());
        this.work = passes.work();
        this.replays = new Replays(patterns, sinks(), passes);
        this.recordings = new Recordings(patterns, sinks());
        this.doorbell = share.doorbells().isEmpty() ? null : share.doorbells().get(index);
        this.loans = new Loans(this, index, metrics);
        this.waiter = new Waiter(passes, fifos, share, doorbell, reception.lanes()::count);
        // An engine with a thread of its own may need this core, or the peer that the wait is for.
        this.closeChecks = passes.isInvoked() && !waiter.sharesCore() ? CLOSE_CHECKS : 0;
        this.looks = share.lanes() == LinkedLanes.NONE ? LOOKS : 1;
        passes.shareCore(waiter.sharesCore() && share.lanes() == LinkedLanes.NONE);
        this.directory = new Directory(share, this, waiter, patterns.foundNames());
        this.barrier = new Barrier(share, this, fifo, directory, waiter, barrierCounter);
    }

    /** Opens context {@code index} of a node, with its parts, for the thread {@code owner}. */
    static Context open(NodeShare share, ContextParts parts, ReceptionCounter barrierCounter, int index, Thread owner) {
        final ContextLock lock =
                new ContextLock("context " + index + " of rank " + share.node().rank());
        final ThreadRule threads = new ThreadRule(share.threadLevel(), lock, owner);
        return new Context(share, index, barrierCounter, parts, threads);
    }

    /**
     * Assigns the unused context to a client. From now on {@code owner} uses it.
     */
    void assign(ClientShare client, Thread owner) {
        contexts().assign(client);
        threads.owner(owner);
    }

    /** Returns the {@link Endpoint} for messages to this context, valid at every rank. */
    public long endpoint() {
        return contexts().endpoint();
    }

    /** Returns the rank of this context's node. */
    public int rank() {
        return node().rank();
    }

    /** Returns the number of ranks in the job. */
    public int ranks() {
        return ranges().ranks();
    }

    /**
     * Makes one pass: runs posted work, under INVOKER the engine, and then polls every lane for up to 256 records.
     * Never blocks.
     *
     * @return pieces of work that did something, descriptors carried out and records handled; zero if there was nothing
     *     to do
     * @throws IllegalStateException in a handler, in posted work or within a {@link #batch}, or if the thread of
     *     {@link #progress} was ended by an exception
     * @throws org.segno.status.ClosedException once the node is closed
     */
    public int advance() {
        sinks().requireOpen();
        return passes.pass(PassRunner.RECORD_LIMIT);
    }

    /**
     * Makes one pass as {@link #advance()}, with at most {@code limit} records from each lane.
     *
     * <p>With a limit of 1, a thread that answers a message does so sooner: the pass does not look for a second message,
     * whose cache line would first have to come from the sender's core.
     *
     * @throws IllegalArgumentException if {@code limit} is negative
     */
    public int advance(int limit) {
        if (limit < 0) {
            throw new IllegalArgumentException("limit must not be negative: limit=" + limit);
        }
        sinks().requireOpen();
        return passes.pass(limit);
    }

    /**
     * Makes one pass of each context, in the order of the array, as {@link #advance()} does. The contexts may belong to
     * several clients and nodes. The calling thread uses them all, and under {@link ThreadLevel#MULTIPLE} holds the
     * lock of each. Never blocks and allocates nothing; callers keep the array.
     *
     * <p>An exception of one context delays none of the others: their passes are made first. Then the first exception
     * is thrown, with those of later contexts as its suppressed exceptions.
     *
     * @return the sum of the results of {@link #advance()}
     * @throws IllegalStateException as {@link #advance()} does, and any exception of a handler or of posted work
     * @throws org.segno.status.ClosedException if a context is closed; the others were advanced
     */
    public static int advanceAll(Context[] contexts) {
        int done = 0;
        Throwable first = null;
        for (int i = 0; i < contexts.length; i++) {
            try {
                done += contexts[i].advance();
            } catch (Throwable e) {
                first = JointAdvance.first(first, e);
            }
        }
        return first == null ? done : JointAdvance.rethrow(first);
    }

    /**
     * Registers the handler of a dispatch id, 0 to 65,534, replacing an earlier one for the same id. Register it before
     * peers send to it: a message without a handler is dropped and counted, and its sender is notified through its
     * error log.
     */
    public void handler(int dispatchId, ActiveMessageHandler handler) {
        sinks().requireOpen();
        reception.dispatch().register(dispatchId, handler);
    }

    /**
     * Registers a handler that may send through this context. A message that it does not accept is passed to it again.
     */
    public void replyingHandler(int dispatchId, ReplyingHandler handler) {
        Objects.requireNonNull(handler, "handler");
        sinks().requireOpen();
        fifos.openReplies();
        reception.dispatch().registerReplying(dispatchId, handler);
    }

    /**
     * Registers the handler of PUTs that notify a dispatch id ({@link #putNotifying}). Other messages to such an id
     * have no handler.
     */
    public void notified(int dispatchId, NotificationHandler handler) {
        handler(dispatchId, reception.notices(dispatchId, handler));
    }

    /**
     * Registers {@code handler} for hits of the counter: the moments at which everything expected so far has arrived.
     * It runs on the thread that advances. No message waits for it. If a lane has no room for the event, and for every
     * hit over a link, the next pass raises one event for all hits of the counter, in no order with messages. Use
     * {@link #putNotifying} where the order matters. Call it before the counter is published.
     */
    public void onHit(ReceptionCounter counter, CounterHandler handler) {
        sinks().requireOpen();
        counter.requireOf(node());
        reception.onHit(counter, handler);
        MemoryAccess.events(counter, index, reception::hit);
    }

    /**
     * Registers {@code handler} for hits of an injection counter: the moments at which everything expected so far has
     * been read from its source, or fetched. Replaying a pattern that arms the counter hits it again. The handler also
     * runs after a refusal of a message with this counter, which {@link InjectionCounter#errorAcquire} reports. It runs
     * on the thread that advances, once for one or more events. It may run without a new event, but no event is lost,
     * and everything before the event is visible. Call it before the counter is used.
     */
    public void onHit(InjectionCounter counter, CounterHandler handler) {
        sinks().requireOpen();
        counter.requireOf(node());
        reception.onHit(counter, handler);
    }

    /**
     * Registers {@code handler} for the deaths of other ranks, replacing an earlier one. It is called exactly once for
     * each rank that dies or has died before this call, in a later {@code advance} or wait of this context. By then the
     * handlers of this context have accepted every message that the rank had stored here, and its puts are visible. A
     * rank that leaves the job properly is not reported. Other contexts have handlers of their own.
     */
    public void onDeath(DeathHandler handler) {
        Objects.requireNonNull(handler, "handler");
        sinks().requireOpen();
        passes.deaths(new DeathWatch(states, rank(), reception, handler));
    }

    /**
     * Waits until everything expected at the counter has arrived.
     *
     * @throws org.segno.status.RefusedException if the counter forbids underflow and was counted below zero
     * @throws org.segno.status.PeerFailedException if a rank that the counter admits has died
     * @throws org.segno.status.ClosedException if all possible senders have left, the node was closed or the job has
     *     ended. A wait for rounds or a fence also ends when the engine is held at WAITs, and nobody is left who could
     *     satisfy any of them. If the counter admits anybody, or all ranks by name, nothing is left to carry out for
     *     other contexts of this rank. In a node of several contexts a wait for a counter that names this rank among
     *     others does not end so
     * @throws org.segno.status.DeadlineException at the deadline, an absolute {@link System#nanoTime()}
     * @throws IllegalStateException if a pattern arms the counter: await the pattern
     * @throws IllegalArgumentException if the counter belongs to another node
     */
    public void await(ReceptionCounter counter, long deadlineNs) {
        counter.requireOf(node());
        if (MemoryAccess.isArmed(counter)) {
            throw new IllegalStateException(counter + " is armed by a pattern: await the pattern and its generation");
        }
        requireWait();
        // Most waits end soon: poll the counter alone before checking everything that may have failed.
        for (int check = 0; check < closeChecks; check++) {
            passes.pass();
            for (int look = 0; look < looks; look++) {
                if (MemoryAccess.isComplete(counter)) {
                    return;
                }
                // Polling without a pause would take the counter's cache line away from the core that is about to
                // update it.
                Thread.onSpinWait();
            }
        }
        waiter.await(counter, deadlineNs);
    }

    /**
     * Waits until everything expected at the counter has landed at its target. Completion does not imply that the
     * receiver has read the bytes, or ever will: bytes for a rank that has left complete without an error. A
     * {@code get} or an {@code rmw} of such a rank is refused.
     *
     * @throws org.segno.status.RefusedException if a message that uses the counter was refused; the message gives the
     *     reason
     * @throws IllegalArgumentException if the counter belongs to another node
     * @throws org.segno.status.PeerFailedException if the rank of its target has died
     * @throws org.segno.status.ClosedException if the node was closed or the job has ended
     * @throws org.segno.status.DeadlineException at the deadline
     */
    public void await(InjectionCounter counter, long deadlineNs) {
        counter.requireOf(node());
        requireWait();
        waiter.await(counter, deadlineNs);
    }

    /**
     * Waits until a round of a pattern is executed, so that its sources may be overwritten, and everything that it
     * expects has arrived. Throws as the waits for counters do.
     *
     * @param generation the round: after {@link #record} the value of {@link Pattern#generation}, which is 1 unless the
     *     id was recorded before; after {@link #replay} its return value
     * @throws IllegalArgumentException if no such round was started, or the pattern belongs to another context
     */
    public void await(Pattern pattern, long generation, long deadlineNs) {
        passes.requireNotEnded();
        patterns.requireStarted(pattern, generation);
        requireWait();
        waiter.await(pattern, generation, deadlineNs);
    }

    /**
     * Waits until {@code condition}, which handlers establish, returns true. The death of any rank ends the wait.
     * Throws as the other waits.
     */
    public void await(BooleanSupplier condition, long deadlineNs) {
        Objects.requireNonNull(condition, "condition");
        requireWait();
        waiter.await(condition, deadlineNs);
    }

    /**
     * Waits until everything injected here before is complete at its target, including other FIFOs and rounds of
     * patterns. Complete means carried out, or refused, which the counters report. {@link #isCarriedOut} and
     * {@link #isDrained} check this without waiting. Throws as the other waits, except for deaths: descriptors for a
     * rank that has died are refused.
     */
    public void fence(long deadlineNs) {
        requireWait();
        waiter.fence(ReceptionCounter.NOBODY, deadlineNs);
    }

    /**
     * Waits as the other {@code fence}, and throws {@link org.segno.status.PeerFailedException} if the rank of
     * {@code endpoint} has died.
     */
    public void fence(long endpoint, long deadlineNs) {
        final int rank = Endpoint.task(endpoint);
        ranges().requireRank(rank);
        requireWait();
        waiter.fence(rank, deadlineNs);
        waiter.requireAlive(rank);
    }

    void await(Condition condition, long deadlineNs) {
        requireWait();
        waiter.await(condition, deadlineNs);
    }

    private void requireWait() {
        sinks().requireMayWait("a wait");
    }

    /**
     * Waits until the same context of every rank, or of every task of a client with {@code ClientConfig.withTasks}, has
     * entered the barrier as often as this one. Everything that those ranks sent here before is then visible. Throws as
     * the other waits. After a {@link org.segno.status.DeadlineException} the next call continues the same barrier.
     *
     * @throws IllegalStateException if a rank has no context of this number; the message names the rank
     */
    public void barrier(long deadlineNs) {
        barrier.await(deadlineNs);
    }

    /**
     * Waits until the same client at {@code rank}, which may be this rank, has published {@code name}, and returns it
     * as a target. Intended for start-up: it allocates.
     *
     * @throws org.segno.status.PeerFailedException if the rank has died
     * @throws org.segno.status.ClosedException if the rank has left, the node was closed or the job has ended
     * @throws org.segno.status.DeadlineException at the deadline
     */
    public Target attach(int rank, String name, long deadlineNs) {
        Objects.requireNonNull(name, "name");
        return directory.attach(rank, name, deadlineNs);
    }

    /**
     * Records the descriptors and expectations of {@code body}, and also executes them, as generation 1. If the id is
     * in use, the new recording replaces the old one and its generations continue; {@link Pattern#generation} returns
     * the current one. The body may only inject and call {@code expect}, because a wait in it could not be replayed.
     * Operations of the body through another context would not be replayed, so they are refused; {@code JointPattern}
     * records several contexts. Source windows belong to the engine from this call, and from every replay, until the
     * round is executed.
     *
     * <p>A replay keeps the order of the operations to each rank. Operations to different ranks have no order in it,
     * because it sends those to one rank together. This call itself sends them in the order of the body.
     *
     * @param id identifies the pattern within this context; zero or more
     * @param rounds how rounds are kept apart at their receivers; {@link Rounds#ALTERNATE} does so only for senders
     *     whose receivers reply in every round
     * @throws IllegalStateException if the body cannot be recorded or replayed; the message gives the reason.
     *     Descriptors that the body sent before are sent. A body that injects nothing makes an empty pattern
     */
    public Pattern record(int id, Rounds rounds, Runnable body) {
        return recordings.record(PatternAccess.requireId(id), rounds, body, true);
    }

    /**
     * Begins a recording as {@link #record} does, for code that cannot be called as one body. {@link #recordEnd} ends
     * it. Until then every operation of this context is recorded and executed, waits and replays are refused, and
     * posted work does not run. Handlers run as usual; what they send is not recorded.
     *
     * <p>A recording that is never ended holds the pattern buffer of the context: a second one is refused. The node's
     * {@code close} on the same thread, or after that thread has ended, abandons it; otherwise {@code close} waits for
     * it, for five seconds at most.
     *
     * @throws IllegalStateException as {@link #record}; while another recording is open, which continues; in a handler
     */
    public void recordBegin(int id, Rounds rounds) {
        recordings.open(PatternAccess.requireId(id), rounds);
    }

    /**
     * Ends the recording of {@link #recordBegin} and returns its pattern, whose recorded round may be in progress.
     *
     * @throws IllegalStateException if {@code recordBegin} has not been called, or in a handler. If an operation was
     *     refused since because it cannot be replayed, the recording is abandoned
     * @throws ClosedException if the node was closed meanwhile; the recording is abandoned
     */
    public Pattern recordEnd() {
        return recordings.close();
    }

    /**
     * Ends the recording of {@link #recordBegin} without a pattern. Operations since are executed once. A pattern of
     * the same id remains, and its next round is counted.
     *
     * @throws IllegalStateException if {@code recordBegin} has not been called, or in a handler
     */
    public void recordAbandon() {
        recordings.abandon();
    }

    /**
     * Records the descriptors and expectations of {@code body} without executing them. The result is a persistent
     * request, which {@link #replay} starts any number of times. Its generation is 0 until then. If an equal pattern
     * was loaded, that one is returned. Operations to different ranks have no order, as in a replay of
     * {@link #record(int, Rounds, Runnable)}.
     *
     * @throws IllegalStateException if the body cannot be recorded or replayed; the message gives the reason
     */
    public Pattern prepare(Rounds rounds, Runnable body) {
        return recordings.record(patterns.freeId(), rounds, body, false);
    }

    /**
     * Returns the pattern recorded under {@code id}, or null. If it was loaded ({@link org.segno.saved.SavedPatterns}),
     * its generation is 0 until its first replay, which is round 1; after {@link #record} it is 1.
     */
    public @Nullable Pattern pattern(int id) {
        passes.requireNotEnded();
        return patterns.find(id);
    }

    /**
     * Starts the pattern's next round. This costs one entry in the run ring; the engine executes the round when it
     * reaches the entry.
     *
     * @return the generation of the round; {@link Status#BUSY} while the last round is incomplete, or
     *     {@link Status#BACK_PRESSURED} while the run ring is full: advance then
     * @throws IllegalStateException if the pattern is closed or its id was recorded again, in a handler, or inside
     *     {@code record}
     * @throws IllegalArgumentException if the pattern belongs to another context
     * @throws org.segno.status.PeerFailedException if a rank that the pattern needs has died; RefusedException if a
     *     counter that it needs is closed
     */
    public long replay(Pattern pattern) {
        return replay(pattern, pattern.generation() + 1);
    }

    /**
     * Starts the pattern's round {@code generation}, as the other {@code replay} does. It must be above the last one;
     * the rounds in between were sent in another way, for example by a pattern that this one replaces.
     */
    public long replay(Pattern pattern, long generation) {
        return replays.replay(pattern, generation, !closed);
    }

    /**
     * Starts the pattern's next round as {@link #replay(Pattern)} does, or queues it while the last one is in progress.
     * The engine begins a queued round when the last one is executed, without the application.
     *
     * <p>Each round must end only when all that it expects has arrived: the recording contains {@code waitUntil} at 0
     * for every counter at which it expects bytes, with {@link Rounds#ALTERNATE}. A peer may send the data of the next
     * round but one as soon as a round here is executed. The recording itself must therefore read received data, after
     * its {@code waitUntil}, and leave results in memory that no peer writes. The results of a round belong to the
     * engine from this call until the round is executed. So do its sources, which therefore alternate or do not change.
     *
     * @return the generation of the round; {@link Status#BUSY} while two rounds are in progress, or
     *     {@link Status#BACK_PRESSURED} while there is no room: advance then
     * @throws IllegalStateException if a round of the pattern cannot be queued, or as {@link #replay(Pattern)}; the
     *     message names the counter and the remedy
     * @throws IllegalArgumentException as {@link #replay(Pattern)}
     * @throws org.segno.status.SegnoException as {@link #replay(Pattern)}
     */
    public long queue(Pattern pattern) {
        return replays.queue(pattern);
    }

    /**
     * Starts the pattern's next round as soon as that is possible, and waits until it is complete: {@link
     * #replay(Pattern)} and {@link #await(Pattern, long, long)} in one call, which throws as they do.
     *
     * <p>Where this thread runs the engine, and the engine has nothing else to do, it begins the round within this
     * call, which takes less time than the two. If the round is complete then, no pass is made, and so no handler
     * called, except in one of 16 calls.
     *
     * @return the round. After a {@link org.segno.status.DeadlineException} it may have started, as
     *     {@link Pattern#generation} shows; another {@code run} starts one more round
     */
    public long run(Pattern pattern, long deadlineNs) {
        passes.requireOutsidePass();
        requireWait();
        long round = replays.begin(pattern);
        if (round == Status.BUSY) {
            // This also throws the reason for which the last round cannot become complete.
            await(pattern, pattern.generation(), deadlineNs);
        }
        round = round >= 0 ? round : ContextAccess.start(this, pattern, pattern, deadlineNs);
        if (!replays.isOver(pattern)) {
            await(pattern, round, deadlineNs);
        }
        return round;
    }

    /**
     * Opens a further injection FIFO, which is active at once. Intended for start-up. Throws
     * {@link IllegalStateException} if all FIFOs of this context are open.
     */
    public InjectionFifo injectionFifo() {
        sinks().requireOpen();
        final InjectionFifo opened = InjectionFifo.open(this, fifos, reception);
        further.add(opened);
        return opened;
    }

    /**
     * Returns a new loan, by which the application writes in a peer's window in place. A record where an engine has a
     * thread of its own, and anything for a rank that is reached over a link, lies in a window of this client instead.
     * The context opens it at the claim and uses it for later loans, too. The claim throws an
     * {@link IllegalStateException} if the client has no memory for it.
     */
    public Loan loan() {
        return loans.create();
    }

    /**
     * Returns a new loan with a range of a window of this node, in which it lies if it cannot lie at its target. The
     * range belongs to the loan; the caller ensures that nothing else uses it.
     *
     * @throws IllegalArgumentException if the range lies outside the window, or the window belongs to another node
     */
    public Loan loan(Window staging, long offset, int length) {
        Objects.requireNonNull(staging, "staging");
        return loans.create(staging, offset, length);
    }

    /** Returns the FIFO that executes the replays of this context, to set its priority and its quantum. */
    public RunFifo persistentFifo() {
        return new RunFifo("the persistent FIFO of " + this, patterns.replays().metadata(), sinks());
    }

    /** Returns the FIFO that executes the recordings of this context, to set its priority and its quantum. */
    public RunFifo recordingFifo() {
        return new RunFifo("the recording FIFO of " + this, patterns.recordingFifo(), sinks());
    }

    /** Returns true when the engine has carried out everything that was injected, recorded and replayed here. */
    public boolean isDrained() {
        return released || fifos.isDrained();
    }

    /** Ends this context because its client is closed: its waits, passes and injection. Any thread. */
    void end(String reason) {
        close(reason);
        passes.end(reason);
    }

    /**
     * Returns true once no thread uses the context any more, after {@link #end}. Under MULTIPLE its lock shows that;
     * otherwise the last thread that advanced it has ended, or a later call of it was refused, or it is the caller.
     */
    boolean isLeft() {
        if (level != ThreadLevel.MULTIPLE || !lock.tryLock()) {
            return passes.isLeft();
        }
        try {
            passes.forgetUser();
            return true;
        } finally {
            lock.unlock();
        }
    }

    /** Runs posted work once, unless another thread uses the context. */
    void runPosted() {
        if (level != ThreadLevel.MULTIPLE) {
            if (passes.isFreeFor(Thread.currentThread())) {
                passes.runPosted();
            }
        } else if (lock.tryLock()) {
            try {
                passes.runPosted();
            } finally {
                lock.unlock();
            }
        }
    }

    /** Returns the parts for the next use of the context. Nothing of this one uses them from now on. */
    ContextParts release() {
        released = true;
        return fifos.parts(reception.lanes());
    }

    /** Ends this context's waits, present and future, and its injection. Any thread. */
    void close(String reason) {
        sinks().close(reason);
        closed = true;
        further.forEach(one -> one.sinks().close(reason));
        ring();
    }

    /** Wakes the thread that is parked in a wait of this context. Any thread. */
    private void ring() {
        if (doorbell != null) {
            doorbell.ring();
        }
    }

    /**
     * Returns true once the descriptor at {@code position}, and all before it, are carried out or were refused. The
     * position must have been returned by an injection through the context itself, outside {@code record}. Of a put
     * that was split, it covers the part in the context's own FIFO alone.
     */
    public boolean isCarriedOut(long position) {
        return fifo.headAcquire() > position || (position == 0 && fifo.tailAcquire() == 0);
    }

    /**
     * Returns the settings and state of the context's injection FIFO, such as its fill and the number of descriptors
     * carried out.
     */
    public FifoMetadata fifo() {
        return fifo;
    }

    /**
     * Posts {@code piece} to the thread that advances, which runs it within its next {@code advance} or wait. While the
     * piece returns {@link Status#AGAIN}, which counts as no work done, it is run again in later ones. Otherwise each
     * piece runs exactly once, and the pieces of one thread run in order. Pieces that have not run when the node is
     * closed are discarded; {@code Client.close} runs them before. Any thread.
     *
     * @return 0, or {@link Status#BACK_PRESSURED} while {@value WorkQueue#CAPACITY} are pending
     * @throws org.segno.status.ClosedException once the node is closed
     */
    public long post(Work piece) {
        Objects.requireNonNull(piece, "piece");
        if (closed) {
            sinks().requireOpen();
        }
        assert threads.mayPost();
        final long posted = work.post(piece);
        ring();
        return posted;
    }

    /**
     * Waits until no other thread holds the context, then holds it. Threads that share a context must hold it for every
     * call except {@link #post}, and across calls that belong together. A wait of the library holds the context from
     * beginning to end. If other threads need it meanwhile, advance and poll instead, and unlock in between.
     */
    public void lock() {
        lock.lock();
    }

    /** Holds the context if no other thread does, and returns whether the caller holds it now. */
    public boolean tryLock() {
        return lock.tryLock();
    }

    /**
     * Releases the context once called as often as it was locked.
     *
     * @throws IllegalMonitorStateException if the caller does not hold it; the message names the holder
     */
    public void unlock() {
        lock.unlock();
        final ProgressThread running = progress;
        if (running != null) {
            // It carries out what the caller has injected.
            running.wake();
        }
    }

    /**
     * Starts a progress thread, as the other {@code progress} does, with the node's idle strategy. It parks where
     * threads outnumber cores.
     */
    public ProgressThread progress() {
        return progress(idle);
    }

    /**
     * Starts a thread, {@code segno-progress-RANK-CONTEXT}, that advances this context while no other thread holds it.
     * Posted work, handlers and, under INVOKER, the engine then run without the application. Other threads must lock
     * the context to use it. The thread ends when it is closed, or with the node. An exception also ends it; the next
     * {@code advance} or wait of this context throws that exception.
     *
     * @param strategy creates the strategy with which it waits when there is nothing to do
     * @throws IllegalStateException if there is one already, the thread level excludes other threads, or in a handler,
     *     in posted work or within a {@link #batch}
     */
    public synchronized ProgressThread progress(Supplier<IdleStrategy> strategy) {
        sinks().requireOpen();
        final ProgressThread running = progress;
        if (running != null && running.isRunning()) {
            throw new IllegalStateException(running + " already advances this context: close it first");
        }
        sinks().requireOutsidePass();
        final String name = "segno-progress-" + rank() + "-" + index;
        if (level.compareTo(ThreadLevel.SERIALIZED) < 0) {
            throw new IllegalStateException("ThreadLevel." + level + " excludes other threads from the context, " + name
                    + " included: declare SERIALIZED or MULTIPLE with NodeConfig.withThreadLevel");
        }
        final Pass pass = passes.untilClosed();
        final Pauses pauses = waiter.pauses(strategy.get(), pass::isBlocked);
        final ProgressThread started = ProgressThread.start(name, lock, work, pass, pauses, doorbell);
        progress = started;
        return started;
    }

    /**
     * Returns the state of a rank since it joined: null while it takes part, or the reason why it will send nothing
     * more.
     */
    public @Nullable SegnoException failure(int rank) {
        ranges().requireRank(rank);
        if (states.isDead(rank)) {
            return new PeerFailedException(rank, states.loss(rank));
        }
        return states.hasLeft(rank) ? new ClosedException("rank " + rank + " has left the job") : null;
    }

    PeerStates states() {
        return states;
    }

    /** Returns true inside {@code record} and {@code prepare}. */
    public boolean isRecording() {
        return sinks().isRecording();
    }

    PassRunner passes() {
        return passes;
    }

    Reception reception() {
        return reception;
    }

    FifoSet fifos() {
        return fifos;
    }

    PatternBuffer patterns() {
        return patterns;
    }

    Replays replays() {
        return replays;
    }

    Recordings recordings() {
        return recordings;
    }

    Loans loans() {
        return loans;
    }

    Directory directory() {
        return directory;
    }

    Barrier barrier() {
        return barrier;
    }

    /** Ends the progress thread, if there is one. Any thread. */
    void endProgress() {
        final ProgressThread running = progress;
        if (running != null) {
            running.close();
        }
    }

    @Override
    public String toString() {
        return "context " + Endpoint.context(endpoint()) + " of rank " + rank();
    }
}
