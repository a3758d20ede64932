package org.segno.context;

import org.jspecify.annotations.Nullable;
import org.segno.counter.CounterPair;
import org.segno.counter.InjectionCounter;
import org.segno.counter.LocalCounter;
import org.segno.counter.ReceptionCounter;
import org.segno.fifo.DescriptorSink;
import org.segno.fifo.InjectionFifoProducer;
import org.segno.memory.NodeMemory;
import org.segno.memory.Window;
import org.segno.operation.DescriptorWriter;
import org.segno.operation.Target;
import org.segno.pattern.PatternBuffer;
import org.segno.pattern.Recorder;
import org.segno.status.ClosedException;
import org.segno.status.Status;
import org.segno.work.ThreadRule;

/**
 * Operations that inject one descriptor per call: into the FIFO of a context or, inside {@code record}, into a section
 * of its pattern buffer.
 *
 * <p>Each call returns the descriptor's position, zero or more, or {@link Status#BACK_PRESSURED} if the injection FIFO
 * is full. In that case nothing has happened, and {@link Context#advance()} makes room. Calls never block and allocate
 * nothing. Order is kept from one context to one target, but not between injected and replayed descriptors. Offsets and
 * lengths are in bytes, zero allowed.
 *
 * <p>Arguments are checked, and the exception names the invalid one. A window or counter of another node in the same
 * process is invalid, too. Once the node is closed, every call throws {@link org.segno.status.ClosedException}.
 *
 * <p>A rank that has left no longer reads, but it has not failed. Data sent to it still land in its memory while there
 * is room, without an error. {@code Node.peerState} reports the ranks that have left. Only a reply from the receiver
 * proves that it has read the data.
 */
public abstract sealed class Injection permits Sending {
    final PatternBuffer patterns;
    final InjectionFifoProducer fifo;

    /** Current destination of descriptors. */
    DescriptorSink sink;

    /**
     * Default destination, used unless a recording, a reply or a batch is in progress: the FIFO, or for a further FIFO
     * the guard in front of it.
     */
    DescriptorSink home;

    /** True while handlers run. */
    boolean inHandler;

    /** Destination of a handler's sends while it may send, otherwise null. The FIFO never changes. */
    @Nullable
    InjectionFifoProducer replies;

    private InjectionFifoProducer.@Nullable Batch replyBatch;
    private final InjectionFifoProducer.Batch batch;

    final NodeMemory[] peers;
    final DescriptorWriter writer;
    final ThreadRule threads;
    final Homes homes;

    private final NodeMemory node;
    private volatile @Nullable ClosedSink closed;

    Injection(NodeShare share, InjectionFifoProducer fifo, PatternBuffer patterns, ThreadRule threads, Homes homes) {
        this.node = share.node();
        this.peers = share.peers().toArray(new NodeMemory[0]);
        this.writer = new DescriptorWriter(node.owner());
        this.fifo = fifo;
        this.batch = fifo.batch();
        this.sink = fifo;
        this.home = fifo;
        this.patterns = patterns;
        this.threads = threads;
        this.homes = homes;
    }

    /** Adds a signed amount to a target's counter. A negative amount counts down, as landing bytes do. */
    public final long count(Target target, long amount) {
        if (target.rank() >= peers.length) {
            requireRank(target.rank());
        }
        final long slot = claim(target);
        if (slot < 0) {
            return slot;
        }
        writer.count(slot, target, amount);
        return sink.publish();
    }

    /**
     * Holds everything injected here afterwards until {@code counter} is at or below {@code value}. The engine waits,
     * not the application. In an ordinary FIFO all later descriptors are held, whatever their target. Inside
     * {@code record} only this pattern's round is held: up to 64 runs of a context may be held at a time, while later
     * ones proceed.
     *
     * <p>If a rank that the counter admits has died, the condition may never be met. A pattern's round then ends there,
     * and its wait reports that. In an ordinary FIFO the descriptor is refused and counted, and the descriptors behind
     * it are carried out.
     *
     * @param counter a pair only inside {@code record}, where it means the counter of the round
     */
    public final long waitUntil(LocalCounter counter, long value) {
        counter.requireOf(node);
        if (inHandler) {
            throw new IllegalStateException(
                    "a handler cannot inject a WAIT, which would delay other replies: inject it outside handlers");
        }
        final Recorder recorder = patterns.recorder();
        if (recorder == null && counter instanceof CounterPair) {
            throw whichOfPair();
        }
        final long slot = claim();
        if (slot < 0) {
            return slot;
        }
        writer.waitUntil(slot, counter, value);
        if (recorder != null && !(counter instanceof InjectionCounter)) {
            recorder.waits(counter, value);
        }
        return sink.publish();
    }

    /**
     * Copies between two windows of this node, or within one if the ranges do not overlap. The engine copies when it
     * reaches the descriptor.
     */
    public final long copy(Window source, long sourceOffset, Window target, long targetOffset, long length) {
        source.requireOf(node);
        target.requireOf(node);
        source.requireRange("source", sourceOffset, length);
        target.requireRange("target", targetOffset, length);
        final long slot = claim();
        if (slot < 0) {
            return slot;
        }
        writer.copy(slot, source, sourceOffset, target, targetOffset, length);
        return sink.publish();
    }

    /**
     * Injects the descriptors of {@code body}, at most {@code most}, with one store of the FIFO's tail. The engine
     * therefore sees the first of them only together with the last. Inside {@code record} they are recorded as usual.
     * In a replying handler they go through its FIFO for sends; in any other handler they are refused.
     *
     * @return the position after the last one, or {@link Status#BACK_PRESSURED} while there is no room for
     *     {@code most}: the body was not run
     * @throws IllegalArgumentException if there can never be room, because the FIFO has fewer slots
     */
    public final long together(int most, Runnable body) {
        final InjectionFifoProducer own = replies;
        final boolean plain = inHandler || patterns.recorder() != null;
        final InjectionFifoProducer.Batch into = own != null ? replyBatch : plain ? null : batch;
        if (into == null || closed != null) {
            claim();
            body.run();
            return 0;
        }
        if (!into.begin(most)) {
            return Status.BACK_PRESSURED;
        }
        sink = into;
        try {
            body.run();
        } finally {
            into.commit();
            replying(own);
        }
        return into.position();
    }

    /** Expects {@code bytes} more at a counter; inside {@code record}, in this round and in every replay. */
    public final void expect(ReceptionCounter counter, long bytes) {
        requireOpen();
        counter.requireOf(node);
        final Recorder recorder = patterns.recorder();
        if (recorder == null) {
            counter.expect(bytes);
        } else {
            recorder.expect(counter, bytes);
        }
    }

    /** Expects {@code bytes} more to be injected; inside {@code record}, in this round and in every replay. */
    public final void expect(InjectionCounter counter, long bytes) {
        requireOpen();
        counter.requireOf(node);
        final Recorder recorder = patterns.recorder();
        if (recorder == null) {
            counter.expect(bytes);
        } else {
            recorder.expect(counter, bytes);
        }
    }

    /**
     * Expects {@code bytes} in this round and in every replay, at the counter of its generation. Inside {@code record}
     * only.
     */
    public final void expect(CounterPair pair, long bytes) {
        requireOpen();
        pair.requireOf(node);
        final Recorder recorder = patterns.recorder();
        if (recorder == null) {
            throw whichOfPair();
        }
        recorder.expect(pair, bytes);
    }

    private static IllegalStateException whichOfPair() {
        return new IllegalStateException("a pair selects its counter by round, inside record only: outside record call"
                + " pair.counter(g).expect, name pair.counter(g), or send to target.ofRound(g)");
    }

    /**
     * Claims a slot for a descriptor to {@code target}. A target that alternates between a pair's counters is valid
     * only in a pattern.
     */
    final long claim(Target target) {
        if (target.alternate() && patterns.recorder() == null && closed == null) {
            throw whichOfPair();
        }
        return claim();
    }

    final long claim() {
        assert threads.mayInject();
        if (inHandler && replies == null) {
            throw new IllegalStateException("only a replying handler can send, and not while it handles a reply:"
                    + " a flood of replies could not be held back otherwise; register it with replyingHandler,"
                    + " or store the request and send it after advance has returned");
        }
        return sink.claim();
    }

    /** Allows a handler to send into {@code replies}, or ends that permission if it is null. */
    final void replying(@Nullable InjectionFifoProducer replies) {
        this.replies = replies;
        if (replies != null && replyBatch == null) {
            replyBatch = replies.batch();
        }
        // A handler may run within an advance inside record: descriptors after it are recorded as before.
        final DescriptorSink other = replies != null ? replies : patterns.recorder();
        sinkIsFifo();
        if (other != null && closed == null) {
            sink = other;
        }
    }

    /** Resets the destination to the default, for example after a recording. */
    final void sinkIsFifo() {
        final ClosedSink ended = closed;
        sink = ended == null ? home : ended;
    }

    /**
     * Ends the injection; the first reason is kept. Any thread. An injection in progress may still find its FIFO once.
     */
    final void endInjection(String reason) {
        final ClosedSink first = closed;
        final ClosedSink ended = first == null ? new ClosedSink(reason) : first;
        closed = ended;
        sink = ended;
    }

    /** Returns the reason why injection has ended, or null. Any thread. */
    final @Nullable String closedReason() {
        final ClosedSink ended = closed;
        return ended == null ? null : ended.reason();
    }

    final void requireOpen() {
        final ClosedSink ended = closed;
        if (ended != null) {
            throw ended.exception();
        }
    }

    /** Returns the memory of this context's node. */
    final NodeMemory node() {
        return node;
    }

    final void requireRank(int rank) {
        if (rank < 0 || rank >= peers.length) {
            throw new IllegalArgumentException("rank must be 0 to " + (peers.length - 1) + ": rank=" + rank);
        }
    }

    /**
     * Sink of a closed context, which throws an exception for every descriptor. It replaces the FIFO, so that an open
     * context need not check whether it is closed.
     *
     * @param reason why the context was closed
     */
    private record ClosedSink(String reason) implements DescriptorSink {
        ClosedException exception() {
            return new ClosedException(reason + "; its client accepts no further operations");
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
