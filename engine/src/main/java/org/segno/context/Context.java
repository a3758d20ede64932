package org.segno.context;

import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;
import org.segno.counter.CounterGroup;
import org.segno.counter.CounterSettings;
import org.segno.counter.InjectionCounter;
import org.segno.counter.ReceptionCounter;
import org.segno.dispatch.ActiveMessageHandler;
import org.segno.dispatch.CounterHandler;
import org.segno.dispatch.NotificationHandler;
import org.segno.dispatch.ReplyingHandler;
import org.segno.fifo.InjectionFifoProducer;
import org.segno.geometry.Endpoint;
import org.segno.metrics.Metric;
import org.segno.metrics.NodeMetrics;
import org.segno.operation.Target;
import org.segno.pattern.Pattern;
import org.segno.pattern.PatternBuffer;
import org.segno.pattern.Rounds;
import org.segno.reuse.Pins;
import org.segno.status.Status;
import org.segno.work.ContextLock;

/**
 * A threading point: injects descriptors, advances, waits, records and replays. Used by one thread at a time, but for what
 * {@link ThreadingPoint} says.
 *
 * <p>Deadlines are absolute, as {@link org.segno.status.Deadline#in} makes them. Every wait advances the context, so that handlers
 * run within it, and ends with one of the four kinds of {@link org.segno.status.SegnoException} when what it waits for cannot come.
 */
public final class Context extends ThreadingPoint {
    /** Looks at a counter before a wait minds deadlines and peers: some microseconds. */
    private static final int CLOSE_LOOKS = 100;

    /** Its further FIFOs. */
    final FifoSet fifos;

    final Reception reception;
    private final Waiting waiting;
    private final NodeMetrics metrics;
    final Meeting meeting;
    private final int index;

    Context(NodeShare share, CounterGroup counters, Pins pins, ReceptionCounter barrier, int index) {
        super(
                share,
                InjectionFifoProducer.open(share.node(), index, 0),
                new PatternBuffer(share.node(), index, counters, pins),
                new ContextLock("context " + index + " of rank " + share.node().rank()),
                index);
        this.index = index;
        this.metrics = share.metrics(index);
        this.reception = new Reception(this, share.node(), index, metrics, share.errors());
        this.fifos = new FifoSet(share, this, reception, index);
        this.waiting = new Waiting(
                this, share.states(), share.idle().get(), share.node().rank());
        this.meeting = new Meeting(this, share, barrier);
    }

    /**
     * Registers the handler of a dispatch id, 0 to 65,534; another one for the same id replaces it. Before peers send to it: a message
     * for which there is no handler is dropped and counted, and its sender told in its error log.
     */
    public void handler(int dispatchId, ActiveMessageHandler handler) {
        requireOpen();
        reception.dispatch().register(dispatchId, handler);
    }

    /** As {@link #handler}, of one that may send through this context; what does not fit is given to it again. */
    public void replyingHandler(int dispatchId, ReplyingHandler handler) {
        requireOpen();
        fifos.openReplies();
        reception.dispatch().registerReplying(dispatchId, handler);
    }

    /** For handlers that hand messages on: counts one for {@code dispatchId} that nobody takes, and tells its sender, as of unknown ones. */
    public void unhandled(int origin, int dispatchId) {
        reception.unhandled(origin, dispatchId);
    }

    /** Registers what hears of PUTs that notify a dispatch id ({@link #putNotifying}); other messages to such an id have no handler. */
    public void notified(int dispatchId, NotificationHandler handler) {
        handler(dispatchId, reception.notices(dispatchId, handler));
    }

    /**
     * Has {@code handler} hear of the counter's hits, on the thread that advances: everything expected so far has come. Called before
     * the counter is published.
     */
    public void onHit(ReceptionCounter counter, CounterHandler handler) {
        requireOpen();
        counter.requireOf(node());
        reception.dispatch().register(counter.id(), handler);
        counter.events(index, reception::hit);
    }

    @Override
    int poll(int limit) {
        return reception.poll(limit);
    }

    /**
     * Waits until everything expected at the counter has come.
     *
     * @throws org.segno.status.PeerFailedException if a rank that the counter admits has died
     * @throws org.segno.status.ClosedException if nobody is left who could send, the node was closed or the job has ended
     * @throws org.segno.status.DeadlineException at the deadline, an absolute {@link System#nanoTime()}
     * @throws IllegalStateException if a pattern arms the counter: await the pattern
     * @throws IllegalArgumentException if another node made it
     */
    public void await(ReceptionCounter counter, long deadlineNs) {
        counter.requireOf(node());
        if (counter.isArmed()) {
            throw new IllegalStateException(counter + " is armed by a pattern: await the pattern and its generation");
        }
        requireNotRecording("a wait");
        // Most waits end soon: look closely before looking at everything that may have failed. Where the engine has a
        // thread of its own, that may need this core.
        for (int look = isInvoked() ? 0 : CLOSE_LOOKS; look < CLOSE_LOOKS; look++) {
            pass();
            if (counter.valueAcquire() <= 0) {
                return;
            }
            // A core that looks without a pause takes the counter's line away from whoever is about to add to it.
            Thread.onSpinWait();
        }
        await(waiting.received.of(counter), deadlineNs);
    }

    /**
     * Waits until everything expected at the counter has been read from its source; over shared memory it has landed then, too. Whether
     * the receiver has looked at it, or ever will, only the receiver knows. What was sent to a rank that has left lands in memory that
     * nobody reads and is waited for without an error; a record that finds no room in such a rank's lane is refused.
     *
     * @throws org.segno.status.RefusedException if a message that uses the counter was refused; says why
     * @throws IllegalArgumentException if another node made the counter
     * @throws org.segno.status.PeerFailedException if its target has died
     * @throws org.segno.status.ClosedException if the node was closed or the job has ended
     * @throws org.segno.status.DeadlineException at the deadline
     */
    public void await(InjectionCounter counter, long deadlineNs) {
        counter.requireOf(node());
        await(waiting.injected.of(counter), deadlineNs);
    }

    /**
     * Waits until a round of a pattern is executed, so that its sources may be overwritten, and everything that it expects has come;
     * throws as the waits for counters do.
     *
     * @param generation the round: what {@link Pattern#generation} says after {@link #record}, 1 unless the id was recorded anew, then
     *     what {@link #replay} answered
     * @throws IllegalArgumentException if no such round was started, or the pattern is another context's
     */
    public void await(Pattern pattern, long generation, long deadlineNs) {
        patterns.requireStarted(pattern, generation);
        await(waiting.round.of(pattern, generation), deadlineNs);
    }

    /** Waits until {@code condition} holds, which handlers bring about; any rank's death ends it. Throws as the other waits. */
    public void await(BooleanSupplier condition, long deadlineNs) {
        await(waiting.told.of(condition), deadlineNs);
    }

    /**
     * Waits until what was injected here before, through any FIFO and as rounds of patterns, is complete where it was to go: carried
     * out, or refused, which its counters tell. {@link #isCarriedOut} and {@link #isDrained} look without waiting. Throws as the other
     * waits, but for deaths: what is for a rank that has died is refused.
     */
    public void fence(long deadlineNs) {
        await(waiting.fenced.of(CounterSettings.NOBODY), deadlineNs);
    }

    /** As the other {@code fence}, and throws {@link org.segno.status.PeerFailedException} if the rank of {@code endpoint} has died. */
    public void fence(long endpoint, long deadlineNs) {
        final int rank = Endpoint.task(endpoint);
        requireRank(rank);
        await(waiting.fenced.of(rank), deadlineNs);
        waiting.requireAlive(rank);
    }

    void await(Condition condition, long deadlineNs) {
        requireNotRecording("a wait");
        waiting.await(condition, deadlineNs);
    }

    /**
     * Waits until the same context of every rank has called this as often; what they sent here before is visible. Ends with the same
     * exceptions as the other waits; after a {@link org.segno.status.DeadlineException} the next call goes on with the same barrier.
     *
     * @throws IllegalStateException if a rank has no context of this number; names it
     */
    public void barrier(long deadlineNs) {
        meeting.barrier(deadlineNs);
    }

    /**
     * Waits until the same client at {@code rank}, which may be this one, has published {@code name} and answers it as a target. Done once at start:
     * it allocates.
     *
     * @throws org.segno.status.PeerFailedException if the rank has died
     * @throws org.segno.status.ClosedException if it has left, the node was closed or the job has ended
     * @throws org.segno.status.DeadlineException at the deadline
     */
    public Target attach(int rank, String name, long deadlineNs) {
        return meeting.attach(rank, name, deadlineNs);
    }

    /**
     * Records what {@code body} injects and expects, and sends it for real, as generation 1; a known id is recorded anew and counts on,
     * {@link Pattern#generation} says where. The body only injects and calls {@code expect}: a wait in it could not be replayed. Source windows belong to the engine from here,
     * and from every replay, until the round is executed.
     *
     * @param id names the pattern within this context; from zero on
     * @param rounds what keeps its rounds apart where they arrive; {@link Rounds#ALTERNATE} does so only for senders whose receivers
     *     answer in every round
     * @throws IllegalStateException if it cannot be recorded or replayed; says why. What the body sent before is sent
     */
    public Pattern record(int id, Rounds rounds, Runnable body) {
        return record(Pattern.requireId(id), rounds, body, true);
    }

    private Pattern record(int id, Rounds rounds, Runnable body, boolean sends) {
        if (inHandler) {
            throw new IllegalStateException("a handler cannot record: it cannot send");
        }
        requireOpen();
        sink = sends ? patterns.begin(id, rounds) : patterns.beginToPrepare(id, rounds);
        boolean recorded = false;
        try {
            body.run();
            recorded = true;
        } finally {
            sinkIsFifo();
            if (!recorded) {
                patterns.abandon();
            }
        }
        return patterns.end();
    }

    /**
     * Records what {@code body} injects and expects without sending it: a request that is persistent, to be started by {@link #replay}
     * as often as wished. Its generation is 0 until then. Where it does the same as one that was loaded, that one is answered.
     *
     * @throws IllegalStateException if it cannot be recorded or replayed; says why
     */
    public Pattern prepare(Rounds rounds, Runnable body) {
        return record(patterns.freeId(), rounds, body, false);
    }

    /** The pattern recorded under {@code id}, or null. */
    public @Nullable Pattern pattern(int id) {
        return patterns.find(id);
    }

    /**
     * Starts the pattern's next round at the cost of one entry in a ring; the engine sends it when it comes to it.
     *
     * @return its generation; {@link Status#BUSY} while the last round is incomplete, {@link Status#BACK_PRESSURED} while the run ring
     *     is full: advance then
     * @throws IllegalStateException if the pattern is closed or was recorded anew, in a handler, or inside {@code record}
     * @throws IllegalArgumentException if another context has recorded it
     * @throws org.segno.status.PeerFailedException if a rank that it needs has died; RefusedException if a counter that it needs is closed
     */
    public long replay(Pattern pattern) {
        return replay(pattern, pattern.generation() + 1);
    }

    /** As the other {@code replay}, as round {@code generation}, above the last: those in between were injected otherwise. */
    public long replay(Pattern pattern, long generation) {
        if (inHandler || patterns.recorder() != null) {
            throw new IllegalStateException("a replay is not possible in a handler or inside record: " + pattern);
        }
        requireOpen();
        final long answer = patterns.replay(pattern, generation);
        if (answer > 0) {
            metrics.add(Metric.REPLAYS, 1);
        }
        return answer;
    }

    /** Opens a further injection FIFO, active; {@link IllegalStateException} if all of this context's are open. For start-up. */
    public InjectionFifo injectionFifo() {
        return fifos.open();
    }

    /** True when the engine has carried out everything that was injected, recorded and replayed here. */
    public boolean isDrained() {
        return fifo.metadata().fill() == 0 && fifos.areEmpty() && patterns.isDrained();
    }

    /** Any thread: ends this context's waits, now and later, and what it injects. */
    void close(String reason) {
        endInjection(reason);
        fifos.close(reason);
    }
}
