package org.segno.context;

import java.util.Objects;
import org.agrona.DirectBuffer;
import org.jspecify.annotations.Nullable;
import org.segno.engine.descriptor.Descriptor;
import org.segno.engine.descriptor.DispatchIds;
import org.segno.engine.fifo.InjectionFifoProducer;
import org.segno.engine.memory.NodeMemory;
import org.segno.engine.memory.Peer;
import org.segno.engine.memory.PeerTable;
import org.segno.engine.writer.DescriptorWriter;
import org.segno.geometry.Endpoint;
import org.segno.memory.CounterPair;
import org.segno.memory.InjectionCounter;
import org.segno.memory.LocalCounter;
import org.segno.memory.Operand;
import org.segno.memory.ReceptionCounter;
import org.segno.memory.Target;
import org.segno.memory.Window;
import org.segno.operation.Combine;
import org.segno.operation.Message;
import org.segno.operation.Notification;
import org.segno.operation.OperationAccess;
import org.segno.operation.Rmw;
import org.segno.pattern.Recorder;
import org.segno.status.Status;

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
 * <p>Operations with the target {@link Target#nowhere()} do nothing and return 0.
 *
 * <p>{@code put}, {@code get} and {@code rmw} access another rank's memory without action by the application there. The
 * rights of the counter that they name must permit the access; {@link org.segno.memory.Right} lists the rights. Any
 * other access is refused, and the injection counter reports the refusal to its waiter. A message is one record in the
 * lane of its target context.
 *
 * <p>A rank that has left no longer reads, but it has not failed. What is sent to it, by {@code put}, {@code count}, a
 * message or a multicast, completes without an error and without an effect. {@code get} and {@code rmw} need a reply:
 * they are refused, and the reason is {@link org.segno.status.Refusal#PEER_LEFT}. {@code Node.peerState} reports the
 * ranks that have left. Only a reply from the receiver proves that it has read the data.
 */
public abstract sealed class Injector permits Context, InjectionFifo {
    private final NodeMemory node;
    private final PeerTable peers;
    private final Ranges ranges;
    private final ContextDirectory contexts;
    private final DescriptorWriter writer;
    private final SinkSelector sinks;
    private final SkippedOperations skipped;
    private long splitFrom = Long.MAX_VALUE;
    private @Nullable SplitPuts splits;

    Injector(NodeShare share, ContextDirectory contexts, SinkSelector sinks) {
        this.node = share.node();
        this.peers = share.peers();
        this.ranges = new Ranges(node, peers, share.operators());
        this.contexts = contexts;
        this.writer = new DescriptorWriter(node.owner());
        this.sinks = sinks;
        this.skipped = new SkippedOperations(node, sinks);
    }

    /** Creates the injector of a further FIFO of the same context. */
    Injector(Injector context, SinkSelector sinks) {
        this.node = context.node;
        this.peers = context.peers;
        this.ranges = context.ranges;
        this.contexts = context.contexts;
        this.writer = context.writer;
        this.sinks = sinks;
        this.skipped = new SkippedOperations(node, sinks);
    }

    final NodeMemory node() {
        return node;
    }

    /** Returns a rank of the job. */
    final Peer peer(int rank) {
        return peers.get(rank);
    }

    /** Returns the lowest rank of those with memory that this node has mapped, itself included. */
    final int host() {
        return peers.mapped().get(0).rank();
    }

    final ContextDirectory contexts() {
        return contexts;
    }

    final SinkSelector sinks() {
        return sinks;
    }

    final DescriptorWriter writer() {
        return writer;
    }

    final Ranges ranges() {
        return ranges;
    }

    /** Returns the operations on targets that do not exist. */
    final SkippedOperations skipped() {
        return skipped;
    }

    /**
     * Copies {@code length} bytes of a window, or of a counter's range, to a target. They land at {@code targetOffset}
     * from its counter's base, and the counter is counted down after them. The source belongs to the engine until it
     * has been read; an injection counter reports when that is. If the copy is {@link #split}, the returned position is
     * that of its part in this FIFO.
     *
     * @param source a pair only inside {@code record}, where it means the range of the round's counter
     * @throws IllegalArgumentException if a range lies outside the source or the target, or the source belongs to
     *     another node
     */
    public final long put(Target target, long targetOffset, Operand source, long sourceOffset, long length) {
        return put(target, targetOffset, source, sourceOffset, length, null);
    }

    /**
     * Copies as the other {@code put}. If {@code counter} is given, it is counted down by {@code length} when the
     * source has been read, and it reports refusals. The bytes to wait for must be expected first:
     * {@code counter.expect(length)}.
     */
    public final long put(
            Target target,
            long targetOffset,
            Operand source,
            long sourceOffset,
            long length,
            @Nullable InjectionCounter counter) {
        // Invalid arguments take the unusual way, too, and all sinks share the rest: HotSpot calls a method that it has
        // compiled to more than 2,500 bytes (InlineSmallCode), in place of inlining it into the loops of applications.
        if (!(source instanceof Window window)
                || length >= splitFrom
                || !ranges.admitsCopy(target, targetOffset, window, sourceOffset, length, counter)) {
            return putUnusual(target, targetOffset, source, sourceOffset, length, counter);
        }
        // Nothing is needed after the call of the other way, so that the JIT keeps all values of this one in registers.
        final InjectionFifoProducer fifo = target.alternate() ? null : sinks.roomyFifo();
        if (fifo == null) {
            return putUnusual(target, targetOffset, source, sourceOffset, length, counter);
        }
        final long slot = fifo.nextSlot();
        DescriptorWriter.put(fifo.memory(), slot, target, window, counter);
        DescriptorWriter.putRanges(fifo.memory(), slot, targetOffset, sourceOffset, length);
        return fifo.publishClaimed();
    }

    /** Puts from a counter, through several FIFOs, to nowhere, or into another sink than a FIFO with room. */
    private long putUnusual(
            Target target,
            long targetOffset,
            Operand source,
            long sourceOffset,
            long length,
            @Nullable InjectionCounter counter) {
        if (target.isNowhere()) {
            sinks.requireRecorded(source);
            return skipped.copy(source, sourceOffset, length, counter);
        }
        ranges.requirePut(target, targetOffset, source, sourceOffset, length, counter);
        sinks.requireRecorded(source);
        final SplitPuts parts = splits;
        if (length >= splitFrom && parts != null && sinks.isOrdinary()) {
            return parts.put(target, targetOffset, source, sourceOffset, length, counter);
        }
        final long slot = sinks.claim(target);
        if (slot >= 0) {
            writer.put(slot, target, source, counter);
            writer.putRanges(slot, targetOffset, sourceOffset, length);
        }
        return sinks.publish(slot);
    }

    /**
     * Copies as the other {@code put}, and notifies a handler at the target ({@link Context#notified}) after the last
     * byte. No byte lands before there is room for the notification. Never splits the copy.
     *
     * @param notification the handler, and the counter that completes here
     */
    public final long putNotifying(
            Target target,
            long targetOffset,
            Operand source,
            long sourceOffset,
            long length,
            Notification notification) {
        final InjectionCounter counter = notification.injectionCounter();
        if (target.isNowhere()) {
            sinks.requireRecorded(source);
            return skipped.copy(source, sourceOffset, length, counter);
        }
        ranges.requirePut(target, targetOffset, source, sourceOffset, length, counter);
        sinks.requireRecorded(source);
        final int context = contexts.context(target.rank(), OperationAccess.context(notification));
        final long slot = sinks.claim(target);
        if (slot >= 0) {
            writer.put(slot, target, source, counter);
            writer.putRanges(slot, targetOffset, sourceOffset, length);
            writer.notifies(slot, context, OperationAccess.dispatchId(notification));
        }
        return sinks.publish(slot);
    }

    /**
     * Returns PUTs from {@code source} to {@code target} whose ranges vary, for loops of many.
     *
     * @param counter counted down by each of them, if given
     * @throws IllegalArgumentException if the window or the counter belongs to another node
     */
    public final PreparedPut preparePut(Target target, Window source, @Nullable InjectionCounter counter) {
        return new PreparedPut(this, target, source, counter);
    }

    /**
     * Splits each later {@code put} of {@code fromBytes} or more into equal parts of whole pages, sent through this
     * FIFO and the others, so that several engines copy at once. If one of the FIFOs has no room, nothing is injected.
     * The position that such a {@code put} returns is that of the part in this FIFO: it does not show that the source
     * has been read by the others. Its injection counter and {@link Context#fence} cover all parts.
     *
     * <p>Recorded PUTs are not split, because a pattern lies in one section. Splitting pays only if each engine has a
     * free core ({@code NodeConfig.withEngines}), so it is off by default.
     *
     * @param fromBytes 1 or more
     * @param others FIFOs of the same context, each once; none turns splitting off
     * @throws IllegalArgumentException if one of them is this FIFO, is named twice, or belongs to another context
     */
    public final void split(long fromBytes, InjectionFifo... others) {
        if (fromBytes < 1) {
            throw new IllegalArgumentException("fromBytes must be at least 1: fromBytes=" + fromBytes);
        }
        splits = SplitPuts.of(writer, this, others);
        splitFrom = others.length == 0 ? Long.MAX_VALUE : fromBytes;
    }

    /**
     * Copies {@code length} bytes from another rank, starting at {@code sourceOffset} from a counter's base there, into
     * a window. They may be read when {@code counter} has been counted down by {@code length}. Until then the
     * destination belongs to the engine.
     *
     * @param counter also reports refusals, for example because the source grants no right to read
     * @throws IllegalArgumentException if a range lies outside the window or the source, or the window belongs to
     *     another node
     */
    public final long get(
            Target source, long sourceOffset, Window into, long offset, long length, InjectionCounter counter) {
        Objects.requireNonNull(counter, "counter");
        if (source.isNowhere()) {
            return skipped.copy(into, offset, length, counter);
        }
        ranges.requireCopy(source, sourceOffset, into, offset, length, counter);
        final InjectionFifoProducer fifo = sinks.selectedFifo();
        final long slot = fifo == null || source.alternate() ? sinks.claim(source) : fifo.claim();
        if (slot < 0) {
            return slot;
        }
        writer.get(slot, source, sourceOffset, offset, length);
        writer.intoWindow(slot, into, counter);
        return fifo == null ? sinks.publish(slot) : fifo.publishClaimed();
    }

    /**
     * Copies as the other {@code get}. The bytes land at {@code offset} from the base of a counter of this rank and
     * count it down, whichever sources that counter admits. The bytes to wait for must be expected at that counter.
     *
     * @param counter counted down as well, if given; without one only the metrics report a refusal
     */
    public final long get(
            Target source,
            long sourceOffset,
            ReceptionCounter into,
            long offset,
            long length,
            @Nullable InjectionCounter counter) {
        into.requireOf(node);
        if (source.isNowhere()) {
            return skipped.get(into, offset, length, counter);
        }
        ranges.requireGet(source, sourceOffset, into.length(), offset, length, counter);
        final long slot = sinks.claim(source);
        if (slot >= 0) {
            writer.get(slot, source, sourceOffset, offset, length);
            writer.intoCounter(slot, into, 0, counter);
        }
        return sinks.publish(slot);
    }

    /** Copies as the other {@code get}, to the pair's counter of the round. Inside {@code record} only. */
    public final long get(
            Target source,
            long sourceOffset,
            CounterPair into,
            long offset,
            long length,
            @Nullable InjectionCounter counter) {
        into.requireOf(node);
        final Recorder recorder = sinks.recorder();
        if (recorder == null) {
            throw new IllegalStateException("a pair selects its counter by round, inside record only: outside record"
                    + " get into pair.counter(g)");
        }
        if (source.isNowhere()) {
            return skipped.get(recorder, into, offset, length, counter);
        }
        ranges.requireGet(source, sourceOffset, into.length(), offset, length, counter);
        final long slot = sinks.claim(source);
        if (slot >= 0) {
            writer.get(slot, source, sourceOffset, offset, length);
            writer.intoCounter(slot, into.counter(0), Descriptor.ALTERNATE_LANDING, counter);
        }
        return sinks.publish(slot);
    }

    /**
     * Changes an aligned 64-bit word of another rank atomically: the word at {@code targetOffset} from its counter's
     * base. The change is atomic with respect to all such changes by any rank. The target's counter is not counted
     * down.
     *
     * @throws IllegalArgumentException if the word lies outside the target, or the result's window or the counter
     *     belongs to another node
     */
    public final long rmw(Target target, long targetOffset, Rmw change) {
        OperationAccess.requireOf(change, node);
        if (target.isNowhere()) {
            return skipped.completes(Long.BYTES, OperationAccess.injectionCounter(change));
        }
        ranges.requireWord(target, targetOffset);
        final InjectionFifoProducer fifo = sinks.selectedFifo();
        final long slot = fifo == null || target.alternate() ? sinks.claim(target) : fifo.claim();
        if (slot < 0) {
            return slot;
        }
        writer.rmw(slot, target, targetOffset, change);
        return fifo == null ? sinks.publish(slot) : fifo.publishRmw();
    }

    /**
     * Sends up to 32 bytes, by value, to the handler of {@code dispatchId} at the first context of the same client at
     * {@code rank}. The buffer may be reused at once. The handler receives the bytes as payload.
     */
    public final long sendImmediate(int rank, int dispatchId, DirectBuffer buffer, int offset, int length) {
        ranges.requireRank(rank);
        return immediate(rank | (long) contexts.first(rank) << Integer.SIZE, dispatchId, buffer, offset, length);
    }

    /**
     * Sends as the other {@code sendImmediate}, to the context of an {@link Endpoint}, which may be of this rank, too.
     */
    public final long sendImmediate(long endpoint, int dispatchId, DirectBuffer buffer, int offset, int length) {
        ranges.requireRank(Endpoint.task(endpoint));
        // The first context always exists; any other number is checked against the peer's layout, at the cost of an
        // access.
        if (endpoint >> Integer.SIZE != 0) {
            DescriptorWriter.requireContext(peers.get(Endpoint.task(endpoint)), Endpoint.context(endpoint));
        }
        return immediate(endpoint, dispatchId, buffer, offset, length);
    }

    private long immediate(long endpoint, int dispatchId, DirectBuffer buffer, int offset, int length) {
        if ((length | dispatchId) < 0
                || length > Descriptor.MAX_IMMEDIATE_LENGTH
                || dispatchId >= DispatchIds.RESERVED) {
            DispatchIds.require(dispatchId);
            throw new IllegalArgumentException("an immediate message has 0 to " + Descriptor.MAX_IMMEDIATE_LENGTH
                    + " bytes; send longer ones from a window: length=" + length);
        }
        final InjectionFifoProducer fifo = sinks.selectedFifo();
        final long slot = fifo == null ? sinks.claim() : fifo.claim();
        if (slot < 0) {
            return slot;
        }
        writer.sendImmediate(slot, endpoint, dispatchId, buffer, offset, length);
        return fifo == null ? sinks.publish(slot) : fifo.publishSend();
    }

    /**
     * Sends metadata and a payload from a window, together at most a quarter of the target's lane. The payload belongs
     * to the engine until it has been read; {@link Message#completes} sets the counter that reports this.
     *
     * @throws IllegalArgumentException if the message has no payload window, is too long, has an invalid rank or
     *     context, or its window or counter belongs to another node
     */
    public final long send(Message message) {
        final int rank = OperationAccess.rank(message);
        ranges.requireRank(rank);
        requireMessage(message);
        OperationAccess.requireFits(message, peers.get(rank), sinks.isReplying());
        final int context = contexts.context(rank, message);
        final InjectionFifoProducer fifo = sinks.selectedFifo();
        final long slot = fifo == null ? sinks.claim() : fifo.claim();
        if (slot < 0) {
            return slot;
        }
        writer.send(slot, message, context);
        return fifo == null ? sinks.publish(slot) : fifo.publishSend();
    }

    private void requireMessage(Message message) {
        OperationAccess.requireOf(message, node);
        if (OperationAccess.isAlternating(message) && sinks.recorder() == null) {
            throw SinkSelector.pairOutsideRecording();
        }
    }

    /**
     * Sends one message to several endpoints with one descriptor, as {@link #send} to each in turn. Each handler
     * receives its own message, and a counter counts the payload once for each. Metadata must lie in a window. Of the
     * values set by {@link Message#to}, only the dispatch id is used; it applies to all endpoints.
     *
     * @param endpoints array that holds the targets: {@code count} endpoints from index {@code first} on, 1 to
     *     {@link Descriptor#MAX_TARGETS}
     * @throws IllegalArgumentException as {@link #send} does, or if the metadata were given by value
     */
    public final long multicast(Message message, long[] endpoints, int first, int count) {
        if (count < 1 || count > Descriptor.MAX_TARGETS || first < 0 || first > endpoints.length - count) {
            throw new IllegalArgumentException("a multicast descriptor has 1 to " + Descriptor.MAX_TARGETS + " of "
                    + endpoints.length + " endpoints: first=" + first + " count=" + count);
        }
        requireMessage(message);
        OperationAccess.requireMetadataWindow(message);
        for (int i = first; i < first + count; i++) {
            final int rank = Endpoint.task(endpoints[i]);
            ranges.requireRank(rank);
            if (Endpoint.context(endpoints[i]) != 0) {
                DescriptorWriter.requireContext(peers.get(rank), Endpoint.context(endpoints[i]));
            }
            OperationAccess.requireFits(message, peers.get(rank), sinks.isReplying());
        }
        final long slot = sinks.claim();
        if (slot >= 0) {
            writer.multicast(slot, message, endpoints, first, count);
        }
        return sinks.publish(slot);
    }

    /**
     * Sends metadata and payload, together up to 32 bytes, by value: both may be changed at once. Inside {@code record}
     * every replay sends the same bytes again, whereas {@link #send} reads them again.
     *
     * @throws IllegalArgumentException as {@link #send} does, if the message is longer, or if it has a counter
     */
    public final long sendImmediate(Message message) {
        ranges.requireRank(OperationAccess.rank(message));
        OperationAccess.requireImmediate(message, node);
        final int context = contexts.context(OperationAccess.rank(message), message);
        final InjectionFifoProducer fifo = sinks.selectedFifo();
        final long slot = fifo == null ? sinks.claim() : fifo.claim();
        if (slot < 0) {
            return slot;
        }
        writer.sendImmediate(slot, message, context);
        return fifo == null ? sinks.publish(slot) : fifo.publishSend();
    }

    /**
     * Returns the limit of the payload, in bytes, that {@link #send} accepts with the target and the metadata of
     * {@code message}. In a replying handler it is that of the lanes for replies.
     */
    public final long longestFor(Message message) {
        ranges.requireRank(OperationAccess.rank(message));
        return OperationAccess.longest(message, peers.get(OperationAccess.rank(message)), sinks.isReplying());
    }

    /** Adds a signed amount to a target's counter. A negative amount counts down, as landing bytes do. */
    public final long count(Target target, long amount) {
        if (target.rank() >= peers.size()) {
            if (target.isNowhere()) {
                return skipped.completes(0, null);
            }
            ranges.requireRank(target.rank());
        }
        final InjectionFifoProducer fifo = sinks.selectedFifo();
        final long slot = fifo == null || target.alternate() ? sinks.claim(target) : fifo.claim();
        if (slot < 0) {
            return slot;
        }
        writer.count(slot, target, amount);
        return fifo == null ? sinks.publish(slot) : fifo.publishClaimed();
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
        if (sinks.isInHandler()) {
            throw new IllegalStateException(
                    "a handler cannot inject a WAIT, which would delay other replies: inject it outside handlers");
        }
        final Recorder recorder = sinks.recorder();
        if (recorder == null && counter instanceof CounterPair) {
            sinks.requireInside();
            throw SinkSelector.pairOutsideRecording();
        }
        final long slot = sinks.claim();
        if (slot >= 0) {
            writer.waitUntil(slot, counter, value);
            if (recorder != null && !(counter instanceof InjectionCounter)) {
                recorder.waits(counter, value);
            }
        }
        return sinks.publish(slot);
    }

    /**
     * Copies between windows or counters' ranges of this node, or within one if the ranges do not overlap. The engine
     * copies when it reaches the descriptor. No counter changes.
     *
     * @param source a pair only inside {@code record}, where it means the range of the round's counter; so is
     *     {@code target}
     * @throws IllegalArgumentException if a range lies outside its operand, or the two overlap within one operand
     */
    public final long copy(Operand source, long sourceOffset, Operand target, long targetOffset, long length) {
        ranges.requireLocal(source, sourceOffset, target, targetOffset, length);
        sinks.requireRecorded(source);
        sinks.requireRecorded(target);
        final long slot = sinks.claim();
        if (slot >= 0) {
            writer.copy(slot, source, sourceOffset, target, targetOffset, length);
        }
        return sinks.publish(slot);
    }

    /**
     * Combines a range of elements with another, element by element: {@code target = target operator source}, or as
     * {@code how} states. The ranges are memory of this node, as those of {@link #copy}. Two of them may be equal;
     * otherwise they must not overlap. The engine combines when it reaches the descriptor, in the order of this FIFO,
     * so that a {@link #waitUntil} before it makes the data that have landed here visible to it. Only the counter of
     * {@code how} changes. A long range is combined in parts, between which other FIFOs are served.
     *
     * @param source a pair only inside {@code record}, where it means the range of the round's counter; so are
     *     {@code target} and the third operand
     * @param length in bytes, a multiple of the length of an element
     * @throws IllegalArgumentException if a range lies outside its operand, or two overlap within one operand
     * @throws IllegalStateException if no user operator has the number
     */
    public final long combine(
            Operand source, long sourceOffset, Operand target, long targetOffset, long length, Combine how) {
        ranges.requireCombine(source, sourceOffset, target, targetOffset, length, how);
        sinks.requireRecorded(source);
        sinks.requireRecorded(target);
        sinks.requireRecorded(OperationAccess.third(how));
        final long slot = sinks.claim();
        if (slot >= 0) {
            writer.combine(slot, source, sourceOffset, target, how);
            writer.combineRange(slot, targetOffset, length);
        }
        return sinks.publish(slot);
    }

    /**
     * Injects the descriptors of {@code body}, at most {@code most}, with one store of the FIFO's tail. The engine
     * therefore sees the first of them only together with the last. Inside {@code record} they are recorded as usual.
     * In a replying handler they go through its FIFO for sends; in any other handler they are refused. A batch inside
     * {@code body}, which a vectored transfer also is, becomes part of this one: {@code most} includes its descriptors.
     * The body can neither wait nor advance, because nothing of it is injected before its end.
     *
     * <p>If the body throws, what it has injected until then is sent.
     *
     * @return the position of the last one, or of the one before if {@code body} injects none;
     *     {@link Status#BACK_PRESSURED} while there is no room for {@code most}: the body was not run
     * @throws IllegalArgumentException if there can never be room, because the FIFO has fewer slots
     * @throws IllegalStateException if the batch lies in another one that has fewer descriptors left of its maximum;
     *     the body was not run
     */
    public final long batch(int most, Runnable body) {
        return sinks.batch(most, body);
    }

    /**
     * Expects {@code bytes} more at a counter; inside {@code record}, in this round and in every replay. In a handler
     * nothing is recorded.
     */
    public final void expect(ReceptionCounter counter, long bytes) {
        sinks.requireOpen();
        counter.requireOf(node);
        final Recorder recorder = sinks.recorder();
        if (recorder == null) {
            sinks.expect(counter, bytes);
        } else {
            recorder.expect(counter, bytes);
        }
    }

    /**
     * Expects {@code bytes} more to be injected; inside {@code record}, in this round and in every replay. In a handler
     * nothing is recorded.
     */
    public final void expect(InjectionCounter counter, long bytes) {
        sinks.requireOpen();
        counter.requireOf(node);
        final Recorder recorder = sinks.recorder();
        if (recorder == null) {
            sinks.requireInside();
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
        sinks.requireOpen();
        pair.requireOf(node);
        final Recorder recorder = sinks.recorder();
        if (recorder == null) {
            sinks.requireInside();
            throw SinkSelector.pairOutsideRecording();
        }
        recorder.expect(pair, bytes);
    }
}
