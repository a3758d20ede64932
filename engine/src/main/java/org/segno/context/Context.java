package org.segno.context;

import java.util.function.BooleanSupplier;
import org.agrona.concurrent.AgentInvoker;
import org.jspecify.annotations.Nullable;
import org.segno.counter.CounterGroup;
import org.segno.counter.InjectionCounter;
import org.segno.counter.ReceptionCounter;
import org.segno.dispatch.ActiveMessageHandler;
import org.segno.dispatch.CounterHandler;
import org.segno.fifo.DescriptorSink;
import org.segno.fifo.FifoMetadata;
import org.segno.fifo.InjectionFifoProducer;
import org.segno.metrics.Metric;
import org.segno.metrics.NodeMetrics;
import org.segno.pattern.Pattern;
import org.segno.pattern.PatternBuffer;
import org.segno.pattern.Rounds;
import org.segno.status.Status;

/** A threading point: injects descriptors, advances, waits, records and replays. Used by one thread at a time. */
public final class Context extends Injection {
    /** Records taken from each lane in one pass unless a limit is given. */
    private static final int RECORD_LIMIT = 256;

    private final DescriptorSink refusing = new RefusingSink();
    private final Reception reception;
    private final Waiting waiting;
    private final Condition.Received received = new Condition.Received();
    private final Condition.Injected injected = new Condition.Injected();
    private final Condition.Round round = new Condition.Round();
    private final Condition.Told told = new Condition.Told();
    private final NodeMetrics metrics;
    private final @Nullable AgentInvoker invoker;
    private final Meeting meeting;
    private final int index;
    private volatile @Nullable Thread user;
    private boolean inHandler;

    Context(NodeShare share, CounterGroup counters, ReceptionCounter barrier, int index) {
        super(
                share,
                InjectionFifoProducer.open(share.node(), index, 0),
                new PatternBuffer(share.node(), index, counters));
        this.index = index;
        this.metrics = share.metrics();
        this.reception = new Reception(share.node(), index, share.metrics(), share.errors());
        this.waiting = new Waiting(
                this, share.states(), share.idle().get(), share.node().rank());
        this.invoker = share.invoker();
        this.meeting = new Meeting(this, share, barrier);
    }

    /** Registers the handler of a dispatch id; before peers send to it. */
    public void handler(int dispatchId, ActiveMessageHandler handler) {
        reception.dispatch().register(dispatchId, handler);
    }

    /** Hears of the counter's hits, on the thread that advances; before the counter is published. */
    public void onHit(ReceptionCounter counter, CounterHandler handler) {
        reception.dispatch().register(counter.id(), handler);
        counter.events(index, reception::hit);
    }

    /** One pass: under INVOKER the engine's, then every lane up to a limit. Returns how much was done. */
    public int advance() {
        return advance(RECORD_LIMIT);
    }

    /** As {@link #advance()}, with at most {@code limit} records from each lane. */
    public int advance(int limit) {
        if (inHandler) {
            throw new IllegalStateException("a handler cannot advance its context: it runs within advance");
        }
        final Thread current = Thread.currentThread();
        if (user != current) {
            user = current;
        }
        final int work = invoker == null ? 0 : invoker.invoke();
        final DescriptorSink outside = sink;
        inHandler = true;
        sink = refusing;
        try {
            return work + reception.poll(limit);
        } finally {
            sink = outside;
            inHandler = false;
        }
    }

    /**
     * Waits until everything expected at the counter has come.
     *
     * @throws org.segno.status.PeerFailedException if a rank that the counter admits has died
     * @throws org.segno.status.ClosedException if nobody is left who could send, the node was closed or the job has ended
     * @throws org.segno.status.DeadlineException at the deadline, an absolute {@link System#nanoTime()}
     * @throws IllegalStateException if a pattern arms the counter: await the pattern
     */
    public void await(ReceptionCounter counter, long deadlineNs) {
        if (counter.isArmed()) {
            throw new IllegalStateException(counter + " is armed by a pattern: await the pattern and its generation");
        }
        await(received.of(counter), deadlineNs);
    }

    /**
     * Waits until everything expected at the counter has been read from its source.
     *
     * @throws org.segno.status.RefusedException if a target refused a message that uses the counter
     */
    public void await(InjectionCounter counter, long deadlineNs) {
        await(injected.of(counter), deadlineNs);
    }

    /** Waits until a round of a pattern is executed and everything that it expects has come; throws as the other waits. */
    public void await(Pattern pattern, long generation, long deadlineNs) {
        await(round.of(pattern, generation), deadlineNs);
    }

    /** Waits until {@code condition} holds, which handlers bring about; any rank's death ends it. */
    public void await(BooleanSupplier condition, long deadlineNs) {
        await(told.of(condition), deadlineNs);
    }

    void await(Condition condition, long deadlineNs) {
        requireNotRecording("a wait");
        waiting.await(condition, deadlineNs);
    }

    /** Waits until the same context of every rank has called this as often; what they sent here before is visible. */
    public void barrier(long deadlineNs) {
        requireNotRecording("a barrier");
        meeting.barrier(deadlineNs);
    }

    /** Waits until {@code rank} has published {@code name} and answers it as a target. */
    public Target attach(int rank, String name, long deadlineNs) {
        requireRank(rank);
        requireNotRecording("attach");
        return meeting.attach(rank, name, deadlineNs);
    }

    /**
     * Records what {@code body} injects and sends it for real, as generation 1; a known id is recorded anew and counts on.
     *
     * @throws IllegalStateException if it cannot be recorded or replayed; says why. What the body sent before is sent
     */
    public Pattern record(int id, Rounds rounds, Runnable body) {
        if (inHandler) {
            throw new IllegalStateException("a handler cannot record: it cannot send");
        }
        sink = patterns.begin(id, rounds);
        boolean recorded = false;
        try {
            body.run();
            recorded = true;
        } finally {
            sink = fifo;
            if (!recorded) {
                patterns.abandon();
            }
        }
        return patterns.end();
    }

    /** The pattern recorded under {@code id}, or null. */
    public @Nullable Pattern pattern(int id) {
        return patterns.find(id);
    }

    /**
     * Starts the pattern's next round at the cost of one entry in a ring.
     *
     * @return its generation; {@link Status#BUSY} while the last round is incomplete, {@link Status#BACK_PRESSURED} while the run ring
     *     is full: advance then
     */
    public long replay(Pattern pattern) {
        if (inHandler || patterns.recorder() != null) {
            throw new IllegalStateException("a replay is not possible in a handler or inside record: " + pattern);
        }
        final long answer = patterns.replay(pattern);
        if (answer > 0) {
            metrics.add(Metric.REPLAYS, 1);
        }
        return answer;
    }

    /** Settings and answers of the context's injection FIFO. */
    public FifoMetadata fifo() {
        return fifo.metadata();
    }

    /** True when the engine has carried out everything that was injected and replayed. */
    public boolean isDrained() {
        return fifo.metadata().fill() == 0 && patterns.isDrained();
    }

    /** Any thread: true unless another thread, which still lives, was the last to advance this context. */
    boolean isFreeFor(Thread thread) {
        final Thread last = user;
        return last == null || last.equals(thread) || !last.isAlive();
    }

    /** Any thread: ends this context's waits, now and later. */
    public void close(String reason) {
        waiting.close(reason);
    }

    private void requireNotRecording(String what) {
        if (patterns.recorder() != null) {
            throw new IllegalStateException(what + " cannot be replayed: keep it outside record");
        }
    }
}
