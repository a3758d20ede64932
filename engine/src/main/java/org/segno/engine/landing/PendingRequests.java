package org.segno.engine.landing;

import org.jspecify.annotations.Nullable;
import org.segno.engine.descriptor.Descriptor;
import org.segno.engine.fifo.InjectionFifoConsumer;
import org.segno.engine.fifo.PartialMessage;
import org.segno.engine.memory.Memory;
import org.segno.engine.memory.NodeMemory;
import org.segno.engine.metrics.Metric;
import org.segno.engine.metrics.NodeMetrics;
import org.segno.memory.MemoryAccess;
import org.segno.status.Refusal;

/**
 * Pending requests of this node to a peer. A reply refers to its request by a number. The landing place and the
 * progress are kept here and not in the reply. Used only by the engine's thread.
 */
public final class PendingRequests {
    /** Maximum number of pending requests to one peer. */
    static final int CAPACITY = 64;

    /** Landing place of a request that has none. */
    public static final long NOWHERE = -1;

    private static final int FREE = 0;

    /** Mask of uses, so that the number of an entry and its use is not negative. */
    private static final int USE_MASK = 0xFF_FFFF;

    private final int[] kinds = new int[CAPACITY];
    private final int[] uses = new int[CAPACITY];
    private final int[] places = new int[CAPACITY];
    private final int[] incarnations = new int[CAPACITY];
    private final int[] injectionCounters = new int[CAPACITY];
    private final @Nullable InjectionFifoConsumer[] fifos = new InjectionFifoConsumer[CAPACITY];
    private final int[] groups = new int[CAPACITY];
    private final long[] offsets = new long[CAPACITY];
    private final long[] lengths = new long[CAPACITY];
    private final long[] received = new long[CAPACITY];
    private final NodeMemory node;
    private final Landing self;
    private final Failure failure;
    private final NodeMetrics metrics;
    private final Memory arena;
    private final int rank;
    private int pending;

    /** Handler of failed requests. */
    @FunctionalInterface
    public interface Failure {
        void onFailure(int injectionCounter, int rank, int code);
    }

    /** Creates the requests of a node to {@code rank}. The landing {@code self} is that in the node's own memory. */
    public PendingRequests(NodeMemory node, Landing self, int rank, Failure failure, NodeMetrics metrics) {
        this.node = node;
        this.self = self;
        this.failure = failure;
        this.metrics = metrics;
        this.arena = node.arena();
        this.rank = rank;
    }

    public boolean isEmpty() {
        return pending == 0;
    }

    /**
     * Returns the number of a new request of the descriptor at the head of {@code fifo}, or -1 while the maximum is
     * pending.
     */
    public int open(int kind, InjectionFifoConsumer fifo, int injectionCounter, long length) {
        for (int at = 0; at < CAPACITY && pending < CAPACITY; at++) {
            if (kinds[at] == FREE) {
                pending++;
                kinds[at] = kind;
                injectionCounters[at] = injectionCounter;
                fifos[at] = fifo;
                groups[at] = fifo.requested(kind);
                lengths[at] = length;
                received[at] = 0;
                // A late reply to the last use of the entry must not be mistaken for a reply to this one.
                uses[at] = (uses[at] + 1) & USE_MASK;
                return number(at);
            }
        }
        return -1;
    }

    /** Lets the reply land at {@code offset} of the arena, or {@link #NOWHERE}. */
    public void intoArena(int request, long offset) {
        final int at = request % CAPACITY;
        places[at] = Descriptor.NO_COUNTER;
        offsets[at] = offset;
    }

    /** Lets the reply land at {@code offset} from the base of a reception counter of this node. */
    public void intoCounter(int request, int counter, int incarnation, long offset) {
        final int at = request % CAPACITY;
        places[at] = counter;
        incarnations[at] = incarnation;
        offsets[at] = offset;
    }

    /** Lands received bytes of a request. Returns {@link Landing#LANDED} or the code of a refusal. */
    public int land(int kind, int request, long offset, Memory source, long payload, int length) {
        final int at = find(request);
        if (at < 0 || kinds[at] != kind) {
            return Refusal.NOT_ASKED_FOR.code();
        }
        if (offset != received[at] || length > lengths[at] - offset || (length == 0 && lengths[at] != 0)) {
            return Refusal.BAD_PACKET.code();
        }
        final int landed = landAt(at, offset, source, payload, length);
        if (landed != Landing.LANDED) {
            fail(at, landed);
            return Landing.LANDED;
        }
        received[at] += length;
        metrics.add(Metric.BYTES, length);
        if (injectionCounters[at] >= 0) {
            final long value = node.injectionValueOffset(injectionCounters[at]);
            if (MemoryAccess.injected(node.values(), value, length)) {
                failure.onFailure(injectionCounters[at], node.rank(), Refusal.UNDERFLOW.code());
            }
        }
        if (received[at] == lengths[at]) {
            close(at);
        }
        return Landing.LANDED;
    }

    private int landAt(int at, long offset, Memory source, long payload, int length) {
        if (places[at] == Descriptor.NO_COUNTER) {
            if (offsets[at] != NOWHERE) {
                source.copyTo(payload, arena, offsets[at] + offset, length);
            }
            return Landing.LANDED;
        }
        final int opened = self.openOwn(places[at], incarnations[at]);
        if (opened != Landing.LANDED) {
            return opened;
        }
        final boolean fits = self.admits(offsets[at] + offset, length);
        if (fits) {
            self.land(source, payload, offsets[at] + offset, length);
        }
        self.close(fits ? length : 0);
        return fits ? Landing.LANDED : Refusal.SOURCE_OUT_OF_BOUNDS.code();
    }

    /** Fails a request that the peer has refused. Returns false if no request of that number is pending. */
    public boolean refuse(int request, int code) {
        final int at = find(request);
        if (at >= 0) {
            fail(at, code);
        }
        return at >= 0;
    }

    /** Fails all pending requests, because no further reply can arrive. */
    public void failAll(int code) {
        for (int at = 0; at < CAPACITY && pending > 0; at++) {
            if (kinds[at] != FREE) {
                fail(at, code);
            }
        }
    }

    private void fail(int at, int code) {
        failure.onFailure(injectionCounters[at], rank, code);
        final InjectionFifoConsumer fifo = fifos[at];
        if (fifo != null) {
            fifo.refused(groups[at], PartialMessage.NO_MESSAGE, MemoryAccess.error(code, rank));
        }
        close(at);
    }

    private void close(int at) {
        final InjectionFifoConsumer fifo = fifos[at];
        kinds[at] = FREE;
        fifos[at] = null;
        pending--;
        if (fifo != null) {
            fifo.answered(groups[at]);
        }
    }

    /** Returns the entry of a pending request, or -1. */
    private int find(int request) {
        final int at = request & (CAPACITY - 1);
        return kinds[at] != FREE && number(at) == request ? at : -1;
    }

    private int number(int at) {
        return uses[at] * CAPACITY + at;
    }
}
