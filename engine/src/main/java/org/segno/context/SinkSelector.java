package org.segno.context;

import org.jspecify.annotations.Nullable;
import org.segno.engine.fifo.DescriptorSink;
import org.segno.engine.fifo.InjectionFifoProducer;
import org.segno.engine.fifo.RunRing;
import org.segno.engine.work.ThreadRule;
import org.segno.memory.CounterPair;
import org.segno.memory.MemoryAccess;
import org.segno.memory.Operand;
import org.segno.memory.ReceptionCounter;
import org.segno.memory.Target;
import org.segno.pattern.PatternBuffer;
import org.segno.pattern.Recorder;
import org.segno.status.ClosedException;
import org.segno.status.Status;

/**
 * Selector of the sink that receives the next descriptor. In order of precedence: the sink of a closed context, the
 * replies of a handler, an open recording, the refusal of a body that other contexts record, the FIFO. A batch replaces
 * the FIFO, or the replies, until it ends.
 *
 * <p>Used by the thread that holds the context, except for {@link #close}, {@link #closedReason} and {@link #exclude}.
 */
final class SinkSelector {
    private final DescriptorSink ordinary;
    private final InjectionFifoProducer.Batch batch;
    private final PatternBuffer patterns;

    /** Ring of the replays, none of which starts within handlers or after the close. */
    private final RunRing replays;

    private final ThreadRule threads;

    /** Selector of the context, which is this one unless it is that of a further FIFO. */
    private final SinkSelector context;

    /** The FIFO, if descriptors go there one by one without further rules; otherwise null. */
    private final @Nullable InjectionFifoProducer plain;

    /** The selected sink. Selected when the state changes, so that a claim tests nothing. */
    private DescriptorSink sink;

    /** {@link #plain} while it is the selected sink, otherwise null. */
    private @Nullable InjectionFifoProducer selectedFifo;

    private boolean inHandler;
    private boolean inWork;

    /** Number of open batches in all FIFOs of the context. Only that of {@link #context} counts. */
    private int batches;

    /** Thread of the last batch. A data race: a thread finds itself here only if it has stored itself. */
    private @Nullable Thread batcher;

    /** FIFO into which the handler that runs may send. */
    private @Nullable InjectionFifoProducer offered;

    /** The same FIFO once the handler has sent, and while the library refuses a reply. */
    private @Nullable InjectionFifoProducer replies;

    private InjectionFifoProducer.@Nullable Batch replyBatch;
    private volatile @Nullable ClosedSink closed;

    /** Refusal of what a thread injects while it records other contexts, or null. Set by that thread. */
    private volatile @Nullable OutsideSink outside;

    /** Called on the thread of a call that is refused because the context is closed. */
    private Runnable refusals = () -> {};

    /** Creates the selector of a context's own FIFO. */
    SinkSelector(InjectionFifoProducer fifo, PatternBuffer patterns, ThreadRule threads) {
        this(fifo, fifo, null, patterns, threads);
    }

    /**
     * Creates the selector of a FIFO that is reached through {@code ordinary}, which enforces further rules.
     *
     * @param context selector of the context's own FIFO, or null for that
     */
    private SinkSelector(
            InjectionFifoProducer fifo,
            DescriptorSink ordinary,
            @Nullable SinkSelector context,
            PatternBuffer patterns,
            ThreadRule threads) {
        this.ordinary = ordinary;
        this.batch = fifo.batch();
        this.context = context == null ? this : context;
        this.patterns = patterns;
        this.replays = patterns.replays();
        this.threads = threads;
        this.plain = ordinary == fifo ? fifo : null;
        this.sink = ordinary;
        this.selectedFifo = plain;
    }

    /** Returns the selector of a further FIFO of the same context. */
    SinkSelector of(InjectionFifoProducer further, DescriptorSink guard) {
        final SinkSelector selector = new SinkSelector(further, guard, this, patterns, threads);
        selector.refusals = refusals;
        return selector;
    }

    /** Sets the function that is called on the thread of each call that a closed context refuses. */
    void onRefusal(Runnable refused) {
        refusals = refused;
    }

    /**
     * Returns the FIFO if it is the selected sink, or null if the other methods must be called. A context has sinks of
     * several types. Calls of the FIFO by its type do not depend on the compiler's profile of the others.
     */
    @Nullable
    InjectionFifoProducer selectedFifo() {
        assert threads.mayInject();
        return inHandler ? null : selectedFifo;
    }

    /** Returns the FIFO as {@link #selectedFifo} does, if it has room; otherwise null. */
    @Nullable
    InjectionFifoProducer roomyFifo() {
        final InjectionFifoProducer fifo = selectedFifo();
        return fifo == null || fifo.isAtLimit() ? null : fifo;
    }

    /**
     * Claims a slot for a descriptor to {@code target}. A target that alternates between a pair's counters is valid
     * only in a pattern.
     */
    long claim(Target target) {
        if (target.alternate() && recorder() == null && closed == null) {
            requireInside();
            throw pairOutsideRecording();
        }
        return claim();
    }

    /** Returns the offset of a free slot, or {@link Status#BACK_PRESSURED}. */
    long claim() {
        requireMaySend();
        return sink.claim();
    }

    private void requireMaySend() {
        assert threads.mayInject();
        if (inHandler && replies == null) {
            selectReplies();
        }
    }

    /** Selects the replies of the handler that runs, at its first send: most handlers send nothing. */
    private void selectReplies() {
        final InjectionFifoProducer fifoOfReplies = offered;
        if (fifoOfReplies == null) {
            throw new IllegalStateException("only a replying handler can send, and not while it handles a reply:"
                    + " a flood of replies could not be held back otherwise; register it with replyingHandler,"
                    + " or store the request and send it after advance has returned");
        }
        replies = fifoOfReplies;
        if (replyBatch == null) {
            replyBatch = fifoOfReplies.batch();
        }
        // A handler may run within an advance inside record: descriptors after it are recorded as before.
        select();
    }

    /** Checks that a descriptor could be injected, for an operation that does nothing. */
    void skip() {
        requireMaySend();
        if (sink != patterns.recorder()) {
            // A claim without a publication has no effect. It enforces the rules of the sink.
            sink.claim();
        }
    }

    /** Publishes the slot claimed last, and returns its position; returns the status of a failed claim unchanged. */
    long publish(long slot) {
        return slot < 0 ? slot : sink.publish();
    }

    /**
     * Runs {@code body}, and publishes its descriptors, at most {@code most}, with one store of the FIFO's tail. Inside
     * a batch they are part of that batch.
     */
    long batch(int most, Runnable body) {
        requireMaySend();
        final InjectionFifoProducer.Batch outer = openBatch();
        if (outer != null) {
            outer.include(most, body);
            return last(outer);
        }
        // Refuses what would be refused of a single descriptor, before the body runs.
        claim();
        final InjectionFifoProducer.Batch into = possibleBatch();
        if (into == null) {
            body.run();
            return 0;
        }
        if (!into.begin(most)) {
            return Status.BACK_PRESSURED;
        }
        selected(into);
        context.batches++;
        context.batcher = Thread.currentThread();
        try {
            body.run();
        } finally {
            context.batches--;
            into.commit();
            select();
        }
        return last(into);
    }

    /** Returns the position of the last descriptor, which {@code isCarriedOut} accepts; 0 if there was none ever. */
    private static long last(InjectionFifoProducer.Batch written) {
        return Math.max(0, written.position() - 1);
    }

    private InjectionFifoProducer.@Nullable Batch possibleBatch() {
        return replies != null ? replyBatch : isRecording() ? null : batch;
    }

    /** Returns the batch that receives descriptors now, or null. It depends on the state alone, not on the sink. */
    private InjectionFifoProducer.@Nullable Batch openBatch() {
        final InjectionFifoProducer.Batch into = possibleBatch();
        return into != null && into.isOpen() && closed == null ? into : null;
    }

    /** Selects the sink again after a recording was opened or ended. */
    void select() {
        final ClosedSink ended = closed;
        final InjectionFifoProducer reply = replies;
        final Recorder recorder = patterns.recorder();
        selected(
                ended != null
                        ? ended
                        : reply != null
                                ? openOr(replyBatch, reply)
                                : recorder != null ? recorder : openOr(batch, ordinaryOrRefusal()));
        final ClosedSink meanwhile = closed;
        if (ended == null && meanwhile != null) {
            // Another thread has closed the context since the first look, and this one may have overwritten its choice.
            selected(meanwhile);
        }
    }

    private void selected(DescriptorSink chosen) {
        sink = chosen;
        selectedFifo = chosen == ordinary ? plain : null;
    }

    /** Returns the batch if it is open: it continues after handlers or a recording within its body. */
    private static DescriptorSink openOr(InjectionFifoProducer.@Nullable Batch into, DescriptorSink otherwise) {
        return into != null && into.isOpen() ? into : otherwise;
    }

    private DescriptorSink ordinaryOrRefusal() {
        final OutsideSink refusal = outside;
        return refusal != null && !inWork && refusal.applies() ? refusal : ordinary;
    }

    /**
     * Refuses what the calling thread injects outside handlers and posted work, until {@code refusal} ends. Any thread:
     * another one may inject meanwhile.
     */
    void exclude(OutsideSink refusal) {
        outside = refusal;
        // Whatever another thread selects now is kept, or selected again at its next descriptor.
        if (sink == ordinary) {
            selected(refusal);
        }
    }

    /** Selects the sink on the thread that injects, after the one of {@link #exclude}, and returns it. */
    DescriptorSink reselected() {
        final OutsideSink refusal = outside;
        if (refusal != null && refusal.hasEnded()) {
            outside = null;
        }
        select();
        return sink;
    }

    /** Checks that this thread does not record other contexts now. */
    void requireInside() {
        final OutsideSink refusal = outside;
        if (refusal != null && !inHandler && !inWork && !isRecording() && refusal.applies()) {
            throw refusal.exception();
        }
    }

    /** Expects bytes that no recording repeats. */
    void expect(ReceptionCounter counter, long bytes) {
        requireInside();
        if (inHandler) {
            // Also within a recording of this thread, which does not concern what handlers do.
            MemoryAccess.add(counter, bytes);
        } else {
            counter.expect(bytes);
        }
    }

    /** Returns true if a recording of this thread already refuses what it injects here. */
    boolean isExcluded() {
        final OutsideSink refusal = outside;
        return refusal != null && refusal.applies();
    }

    /**
     * Checks that the calling thread has no open batch here that a recording would leave as it is. What is injected
     * into such a batch is sent, and not recorded.
     *
     * @param own true for a recording of this context, which replaces a batch of the context's own FIFO until its end
     */
    void requireNoBatch(boolean own) {
        if (batches > (own && batch.isOpen() ? 1 : 0) && Thread.currentThread() == batcher) {
            throw new IllegalStateException("a recording is not possible within a batch of another FIFO or context,"
                    + " whose descriptors it would miss: record outside batch");
        }
    }

    /** Returns true if descriptors go to the FIFO, one by one. */
    boolean isOrdinary() {
        return sink == ordinary && !inHandler;
    }

    boolean isRecording() {
        return patterns.recorder() != null;
    }

    /** Returns the open recording, or null: also within a handler, of which nothing is recorded. */
    @Nullable
    Recorder recorder() {
        return inHandler ? null : patterns.recorder();
    }

    /** Returns true while handlers run. */
    boolean isInHandler() {
        return inHandler;
    }

    /** Returns true while a handler may send. */
    boolean isReplying() {
        return offered != null;
    }

    /** Checks that neither a handler, posted work nor the body of a batch runs, within which no pass may begin. */
    void requireOutsidePass() {
        if (inHandler || inWork) {
            throw new IllegalStateException(
                    "a handler or posted work cannot advance its context, because it runs within advance");
        }
        requireOutsideBatch("advance");
    }

    private void requireOutsideBatch(String what) {
        if (batches != 0) {
            throw new IllegalStateException(what + " is not possible within a batch, which publishes its descriptors"
                    + " when its body ends: keep it outside batch");
        }
    }

    /** Checks that neither a recording nor a batch is open, within which a wait has no meaning. */
    void requireMayWait(String what) {
        requireNotRecording(what);
        requireOutsideBatch(what);
    }

    /** Returns true while posted work runs. */
    boolean isInWork() {
        return inWork;
    }

    void enterWork() {
        inWork = true;
    }

    void leaveWork() {
        inWork = false;
        if (outside != null) {
            select();
        }
    }

    void enterHandlers() {
        inHandler = true;
        replays.handlers(true);
    }

    void leaveHandlers() {
        inHandler = false;
        replays.handlers(false);
    }

    /** Allows a handler to send into {@code fifoOfReplies}, or ends that permission if it is null. */
    void allowReplies(@Nullable InjectionFifoProducer fifoOfReplies) {
        offered = fifoOfReplies;
        if (replies != null) {
            replies = null;
            select();
        }
    }

    /** Lets the library refuse an announced reply through {@code fifo}. {@link #allowReplies} with null ends that. */
    void allowRefusal(InjectionFifoProducer fifo) {
        replies = fifo;
        select();
    }

    /**
     * Ends the injection; the first reason is kept. Any thread. An injection in progress may still find its FIFO once.
     */
    void close(String reason) {
        final ClosedSink first = closed;
        final ClosedSink ended = first == null ? new ClosedSink(reason, refusals) : first;
        closed = ended;
        selected(ended);
        if (context == this) {
            replays.shut(true);
        }
    }

    /** Returns the reason why injection has ended, or null. Any thread. */
    @Nullable
    String closedReason() {
        final ClosedSink ended = closed;
        return ended == null ? null : ended.reason();
    }

    /** Any thread. */
    void requireOpen() {
        final ClosedSink ended = closed;
        if (ended != null) {
            throw ended.exception();
        }
    }

    void requireNotRecording(String what) {
        if (isRecording()) {
            throw new IllegalStateException(what + " cannot be replayed: keep it outside record");
        }
    }

    /** Returns true within the body of a batch. */
    boolean isBatching() {
        return openBatch() != null;
    }

    /** Checks that a loan can be claimed or published now. */
    void requireLoansPossible() {
        requireOpen();
        assert threads.mayInject();
        requireInside();
        if (inHandler) {
            throw new IllegalStateException("a handler can only abandon a loan: store the request, and claim or publish"
                    + " it after advance has returned");
        }
        requireNotRecording("a loan");
    }

    /** Throws an exception if an operand is a pair outside {@code record}, where it stands for no counter. */
    void requireRecorded(@Nullable Operand operand) {
        if (operand instanceof CounterPair && recorder() == null) {
            throw pairOutsideRecording();
        }
    }

    static IllegalStateException pairOutsideRecording() {
        return new IllegalStateException("a pair selects its counter by round, inside record only: outside record call"
                + " pair.counter(g).expect, name pair.counter(g), or send to target.ofRound(g)");
    }

    /** Returns the exception of calls after a close for {@code reason}. */
    static ClosedException closed(String reason) {
        return new ClosedException(reason + "; its client accepts no further operations");
    }

    /**
     * Sink of a closed context, which throws an exception for every descriptor. It replaces the FIFO, so that an open
     * context need not check whether it is closed.
     *
     * @param reason why the context was closed
     * @param refused called on the thread of each refused call
     */
    private record ClosedSink(String reason, Runnable refused) implements DescriptorSink {
        ClosedException exception() {
            refused.run();
            return SinkSelector.closed(reason);
        }

        @Override
        public long claim() {
            throw exception();
        }

        @Override
        public long publish() {
            throw exception();
        }
    }
}
