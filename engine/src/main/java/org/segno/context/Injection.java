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
 * What a context injects: one descriptor per call, into its FIFO or, inside {@code record}, into a section of its pattern buffer.
 *
 * <p>Calls answer zero or more, the descriptor's position, or {@link Status#BACK_PRESSURED} when the injection FIFO is full: nothing
 * has happened then, and after {@link Context#advance()} there is room again. They never block and allocate nothing. Order is kept
 * from one context to one target, but not between what is injected and what is replayed. Arguments are checked; what is wrong is named
 * in the exception: also a window or a counter of another node that lives in the same process. Offsets and lengths are bytes, zero
 * allowed. Once the node is closed every call throws {@link org.segno.status.ClosedException}.
 *
 * <p>A rank that has left reads no more, and has failed nobody: what is sent to it still lands in its memory as long as there is room,
 * and is no error. {@code Node.peerState} tells who has left; only an answer from the receiver tells that it has read.
 */
public abstract sealed class Injection permits Sending {
    final PatternBuffer patterns;
    final InjectionFifoProducer fifo;

    /** Where descriptors go now. */
    DescriptorSink sink;

    /** Where they go unless something is recorded, replied or injected together: the FIFO, a further one behind its rules. */
    DescriptorSink home;

    /** True while handlers run. */
    boolean inHandler;

    /** Where what a handler sends goes, while it may; always the same. */
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

    /** Changes a target's counter by a signed amount: a negative one counts down, as bytes that land do. */
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
     * Holds what is injected here after this until {@code counter} is at or below {@code value}: by the engine, without the application.
     * In an ordinary FIFO all that follows is held, whatever its target. Inside {@code record} it holds this pattern's round alone: up to
     * 64 runs of a context stand aside at a time, and the next ones go on.
     *
     * <p>If what is waited for cannot come, because a rank that the counter admits has died, a pattern's round ends there and its wait
     * says so; in an ordinary FIFO the descriptor is refused and counted, and what follows is carried out.
     *
     * @param counter a pair only inside {@code record}: the counter of the round is meant
     */
    public final long waitUntil(LocalCounter counter, long value) {
        counter.requireOf(node);
        if (inHandler) {
            throw new IllegalStateException("a handler cannot wait: what it sends would hold up other replies");
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

    /** Copies between two windows of this node, or within one where the ranges do not overlap; the engine does it, in its turn. */
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
     * Injects what {@code body} injects, {@code most} descriptors at most, with one store of the FIFO's tail: the engine sees the first of
     * it when it sees the last. Inside {@code record} it is recorded as without; in a replying handler it goes through the FIFO for that,
     * in any other it is refused.
     *
     * @return the position after the last one, or {@link Status#BACK_PRESSURED} while there is no room for {@code most}: nothing was run
     * @throws IllegalArgumentException if there never will be, because the FIFO has fewer slots
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

    /** Expects {@code bytes} more at a counter; inside {@code record} in this round and in every replay. */
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

    /** Expects {@code bytes} more to be injected; inside {@code record} in this round and in every replay. */
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

    /** Inside {@code record} only: expects {@code bytes} in this round and in every replay, at the counter of its generation. */
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
        return new IllegalStateException(
                "which of the pair's counters is meant only a pattern knows; outside record call pair.counter(g).expect, name pair.counter(g), or send to target.ofRound(g)");
    }

    /** For what goes to {@code target}, which is one of a pair's counters only in a round of a pattern. */
    final long claim(Target target) {
        if (target.alternate() && patterns.recorder() == null && closed == null) {
            throw whichOfPair();
        }
        return claim();
    }

    final long claim() {
        assert threads.mayInject();
        if (inHandler && replies == null) {
            throw new IllegalStateException("only a replying handler can send, of a message that is no reply itself: a"
                    + " flood of answers could not be held back else; register it as one, or note what to send and send"
                    + " it after advance has returned");
        }
        return sink.claim();
    }

    /** From here on a handler may send, into {@code replies}; or no more, where that is null. */
    final void replying(@Nullable InjectionFifoProducer replies) {
        this.replies = replies;
        if (replies != null && replyBatch == null) {
            replyBatch = replies.batch();
        }
        // A handler may run within an advance inside record: what comes after it is recorded as before.
        final DescriptorSink other = replies != null ? replies : patterns.recorder();
        sinkIsFifo();
        if (other != null && closed == null) {
            sink = other;
        }
    }

    /** From here on everything goes to where it is injected: after a recording. */
    final void sinkIsFifo() {
        final ClosedSink ended = closed;
        sink = ended == null ? home : ended;
    }

    /** Any thread: injects nothing from now on; the first reason stays. One that injects just now may find its FIFO once more. */
    final void endInjection(String reason) {
        final ClosedSink first = closed;
        final ClosedSink ended = first == null ? new ClosedSink(reason) : first;
        closed = ended;
        sink = ended;
    }

    /** Any thread: why nothing is injected any more, or null. */
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

    /** The memory of this context's node. */
    final NodeMemory node() {
        return node;
    }

    final void requireRank(int rank) {
        if (rank < 0 || rank >= peers.length) {
            throw new IllegalArgumentException("rank must be 0 to " + (peers.length - 1) + ": rank=" + rank);
        }
    }

    /**
     * Where the descriptors of a closed context go: nowhere. It stands in the FIFO's place, so that an open context need not ask whether
     * it is closed.
     *
     * @param reason why the context was closed
     */
    private record ClosedSink(String reason) implements DescriptorSink {
        ClosedException exception() {
            return new ClosedException(reason + "; its client takes nothing more");
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
