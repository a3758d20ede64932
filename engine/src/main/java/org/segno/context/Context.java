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
 * A threading point: injects descriptors, advances, waits, records and replays. One thread at a time may use it, except
 * for the methods of {@link ThreadingPoint} that any thread may call.
 *
 * <p>Deadlines are absolute, as returned by {@link org.segno.status.Deadline#in}. Every wait advances the context, so
 * that handlers run within it. A wait that cannot succeed ends with one of the four kinds of
 * {@link org.segno.status.SegnoException}.
 */
public final class Context extends ThreadingPoint {
    /** Polls of a counter before a wait starts to check deadlines and peers; some microseconds. */
    private static final int CLOSE_LOOKS = 100;

    /** Further FIFOs of this context. */
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
     * Registers the handler of a dispatch id, 0 to 65,534, replacing an earlier one for the same id. Register it before
     * peers send to it: a message without a handler is dropped and counted, and its sender is notified through its
     * error log.
     */
    public void handler(int dispatchId, ActiveMessageHandler handler) {
        requireOpen();
        reception.dispatch().register(dispatchId, handler);
    }

    /**
     * Registers a handler that may send through this context. A message that it does not accept is passed to it again.
     */
    public void replyingHandler(int dispatchId, ReplyingHandler handler) {
        requireOpen();
        fifos.openReplies();
        reception.dispatch().registerReplying(dispatchId, handler);
    }

    /**
     * Counts a message for {@code dispatchId} that no handler accepts and notifies its sender, as for an unregistered
     * id. For handlers that forward messages.
     */
    public void unhandled(int origin, int dispatchId) {
        reception.unhandled(origin, dispatchId);
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
     * It runs on the thread that advances. Call it before the counter is published.
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
     * Waits until everything expected at the counter has arrived.
     *
     * @throws org.segno.status.PeerFailedException if a rank that the counter admits has died
     * @throws org.segno.status.ClosedException if all possible senders have left, the node was closed or the job has
     *     ended
     * @throws org.segno.status.DeadlineException at the deadline, an absolute {@link System#nanoTime()}
     * @throws IllegalStateException if a pattern arms the counter: await the pattern
     * @throws IllegalArgumentException if the counter belongs to another node
     */
    public void await(ReceptionCounter counter, long deadlineNs) {
        counter.requireOf(node());
        if (counter.isArmed()) {
            throw new IllegalStateException(counter + " is armed by a pattern: await the pattern and its generation");
        }
        requireNotRecording("a wait");
        // Most waits end soon: poll the counter alone before checking everything that may have failed. An engine with a
        // thread of its own may need this core, so the short loop is skipped then.
        for (int look = isInvoked() ? 0 : CLOSE_LOOKS; look < CLOSE_LOOKS; look++) {
            pass();
            if (counter.valueAcquire() <= 0) {
                return;
            }
            // Polling without a pause would take the counter's cache line away from the core that is about to update
            // it.
            Thread.onSpinWait();
        }
        await(waiting.received.of(counter), deadlineNs);
    }

    /**
     * Waits until everything expected at the counter has been read from its source; over shared memory it has also
     * landed by then. Completion does not imply that the receiver has read the bytes, or ever will. Bytes for a rank
     * that has left land in unread memory and complete without an error. A record that finds no room in such a rank's
     * lane is refused.
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
        await(waiting.injected.of(counter), deadlineNs);
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
        patterns.requireStarted(pattern, generation);
        await(waiting.round.of(pattern, generation), deadlineNs);
    }

    /**
     * Waits until {@code condition}, which handlers establish, returns true. The death of any rank ends the wait.
     * Throws as the other waits.
     */
    public void await(BooleanSupplier condition, long deadlineNs) {
        await(waiting.told.of(condition), deadlineNs);
    }

    /**
     * Waits until everything injected here before is complete at its target, including other FIFOs and rounds of
     * patterns. Complete means carried out, or refused, which the counters report. {@link #isCarriedOut} and
     * {@link #isDrained} check this without waiting. Throws as the other waits, except for deaths: descriptors for a
     * rank that has died are refused.
     */
    public void fence(long deadlineNs) {
        await(waiting.fenced.of(CounterSettings.NOBODY), deadlineNs);
    }

    /**
     * Waits as the other {@code fence}, and throws {@link org.segno.status.PeerFailedException} if the rank of
     * {@code endpoint} has died.
     */
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
     * Waits until the same context of every rank has entered the barrier as often as this one. Everything that those
     * ranks sent here before is then visible. Throws as the other waits. After a
     * {@link org.segno.status.DeadlineException} the next call continues the same barrier.
     *
     * @throws IllegalStateException if a rank has no context of this number; the message names the rank
     */
    public void barrier(long deadlineNs) {
        meeting.barrier(deadlineNs);
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
        return meeting.attach(rank, name, deadlineNs);
    }

    /**
     * Records the descriptors and expectations of {@code body}, and also executes them, as generation 1. If the id is
     * in use, the new recording replaces the old one and its generations continue; {@link Pattern#generation} returns
     * the current one. The body may only inject and call {@code expect}, because a wait in it could not be replayed.
     * Source windows belong to the engine from this call, and from every replay, until the round is executed.
     *
     * @param id identifies the pattern within this context; zero or more
     * @param rounds how rounds are kept apart at their receivers; {@link Rounds#ALTERNATE} does so only for senders
     *     whose receivers reply in every round
     * @throws IllegalStateException if the body cannot be recorded or replayed; the message gives the reason.
     *     Descriptors that the body sent before are sent
     */
    public Pattern record(int id, Rounds rounds, Runnable body) {
        return record(Pattern.requireId(id), rounds, body, true);
    }

    private Pattern record(int id, Rounds rounds, Runnable body, boolean sends) {
        if (inHandler) {
            throw new IllegalStateException("a handler cannot record a pattern: record it outside handlers");
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
     * Records the descriptors and expectations of {@code body} without executing them. The result is a persistent
     * request, which {@link #replay} starts any number of times. Its generation is 0 until then. If an equal pattern
     * was loaded, that one is returned.
     *
     * @throws IllegalStateException if the body cannot be recorded or replayed; the message gives the reason
     */
    public Pattern prepare(Rounds rounds, Runnable body) {
        return record(patterns.freeId(), rounds, body, false);
    }

    /** Returns the pattern recorded under {@code id}, or null. */
    public @Nullable Pattern pattern(int id) {
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
     * the rounds in between were injected by other means.
     */
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

    /**
     * Opens a further injection FIFO, which is active at once. Intended for start-up. Throws
     * {@link IllegalStateException} if all FIFOs of this context are open.
     */
    public InjectionFifo injectionFifo() {
        return fifos.open();
    }

    /** Returns true when the engine has carried out everything that was injected, recorded and replayed here. */
    public boolean isDrained() {
        return fifo.metadata().fill() == 0 && fifos.areEmpty() && patterns.isDrained();
    }

    /** Ends this context's waits, present and future, and its injection. Any thread. */
    void close(String reason) {
        endInjection(reason);
        fifos.close(reason);
    }
}
