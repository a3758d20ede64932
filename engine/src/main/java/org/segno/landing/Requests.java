package org.segno.landing;

import org.segno.counter.InjectionCounter;
import org.segno.descriptor.Descriptor;
import org.segno.memory.Memory;
import org.segno.memory.NodeMemory;
import org.segno.status.Refusal;

/**
 * What this node has asked a peer for and not got yet. A reply names its request by a number; where it lands, and how much of it,
 * stands here and not in the reply. One thread, the engine's.
 */
public final class Requests {
    /** Requests that stand at one peer at most. */
    static final int CAPACITY = 64;

    /** Landing place of a request that has none. */
    public static final long NOWHERE = -1;

    private static final int FREE = 0;

    /** A number of a place and its use must not be negative. */
    private static final int USE_MASK = 0xFF_FFFF;

    private final int[] kinds = new int[CAPACITY];
    private final int[] uses = new int[CAPACITY];
    private final int[] places = new int[CAPACITY];
    private final int[] incarnations = new int[CAPACITY];
    private final int[] injectionCounters = new int[CAPACITY];
    private final long[] offsets = new long[CAPACITY];
    private final long[] lengths = new long[CAPACITY];
    private final long[] received = new long[CAPACITY];
    private final NodeMemory node;
    private final Landing self;
    private final Failure failure;
    private final Memory arena;
    private final int rank;
    private int standing;

    /** Hears that a request has failed. */
    @FunctionalInterface
    public interface Failure {
        void onFailure(int injectionCounter, int rank, int code);
    }

    /** What a node asks of {@code rank}; {@code self} is the node's landing in its own memory. */
    public Requests(NodeMemory node, Landing self, int rank, Failure failure) {
        this.node = node;
        this.self = self;
        this.failure = failure;
        this.arena = node.arena();
        this.rank = rank;
    }

    /** A number for a new request, or -1 while as many stand as may. */
    public int open(int kind, int injectionCounter, long length) {
        for (int at = 0; at < CAPACITY && standing < CAPACITY; at++) {
            if (kinds[at] == FREE) {
                standing++;
                kinds[at] = kind;
                injectionCounters[at] = injectionCounter;
                lengths[at] = length;
                received[at] = 0;
                // A late reply to the last use of the place must not be taken for one to this.
                uses[at] = (uses[at] + 1) & USE_MASK;
                return number(at);
            }
        }
        return -1;
    }

    /** It lands at {@code offset} of the arena, or {@link #NOWHERE}. */
    public void intoArena(int request, long offset) {
        final int at = request % CAPACITY;
        places[at] = Descriptor.NO_COUNTER;
        offsets[at] = offset;
    }

    /** It lands at {@code offset} from the base of a reception counter of this node. */
    public void intoCounter(int request, int counter, int incarnation, long offset) {
        final int at = request % CAPACITY;
        places[at] = counter;
        incarnations[at] = incarnation;
        offsets[at] = offset;
    }

    /** Lands bytes that came for a request; {@link Landing#LANDED}, {@link Landing#NO_ROOM} or why it is not taken. */
    public int land(int kind, int request, long offset, Memory source, long payload, int length) {
        final int at = find(request);
        if (at < 0 || kinds[at] != kind) {
            return Refusal.NOT_ASKED_FOR.code();
        }
        if (offset != received[at] || length > lengths[at] - offset || (length == 0 && lengths[at] != 0)) {
            return Refusal.BAD_PACKET.code();
        }
        final int landed = landAt(at, offset, source, payload, length);
        if (landed == Landing.NO_ROOM) {
            return landed;
        }
        if (landed != Landing.LANDED) {
            fail(at, landed);
            return Landing.LANDED;
        }
        received[at] += length;
        if (injectionCounters[at] >= 0) {
            InjectionCounter.injected(node.peers(), node.injectionValueOffset(injectionCounters[at]), length);
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

    /** The peer has refused a request; false if none of that number stands. */
    public boolean refuse(int request, int code) {
        final int at = find(request);
        if (at >= 0) {
            fail(at, code);
        }
        return at >= 0;
    }

    /** Nothing more comes: every request that stands has failed. */
    public void failAll(int code) {
        for (int at = 0; at < CAPACITY && standing > 0; at++) {
            if (kinds[at] != FREE) {
                fail(at, code);
            }
        }
    }

    private void fail(int at, int code) {
        failure.onFailure(injectionCounters[at], rank, code);
        close(at);
    }

    private void close(int at) {
        kinds[at] = FREE;
        standing--;
    }

    /** The place of a request that stands, or -1. */
    private int find(int request) {
        final int at = request & (CAPACITY - 1);
        return kinds[at] != FREE && number(at) == request ? at : -1;
    }

    private int number(int at) {
        return uses[at] * CAPACITY + at;
    }
}
