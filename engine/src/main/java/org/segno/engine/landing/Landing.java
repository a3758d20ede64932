package org.segno.engine.landing;

import java.util.Arrays;
import org.jspecify.annotations.Nullable;
import org.segno.engine.counter.CounterAdmission;
import org.segno.engine.counter.CounterSettings;
import org.segno.engine.counter.OwedEvents;
import org.segno.engine.fault.CrashPoint;
import org.segno.engine.fifo.ReceptionFifoProducer;
import org.segno.engine.memory.ContextStates;
import org.segno.engine.memory.Memory;
import org.segno.engine.memory.NodeLayout;
import org.segno.engine.memory.NodeMemory;
import org.segno.engine.memory.PeerStates;
import org.segno.engine.memory.SeenEntry;
import org.segno.engine.metrics.HitCount;
import org.segno.engine.metrics.NodeMetrics;
import org.segno.geometry.Endpoint;
import org.segno.memory.MemoryAccess;
import org.segno.status.Refusal;

/**
 * Writer of the messages of one origin to one target's memory. Used by one thread, that of the engine that lands.
 *
 * <p>Bytes for a counter arrive in runs. {@link #open} checks the counter, {@link #land} checks each range and copies
 * it, and {@link #close} counts the whole run down by one atomic add, after its payload. A hit of a counter with events
 * is then published in the owner's lane. If the lane has no room, the event is owed: it is counted in the owner's
 * memory, where the owner finds it, and no landing waits for the lane.
 *
 * <p>Methods return {@link #LANDED}, {@link #NO_ROOM}, or the code of a {@link Refusal}.
 */
public final class Landing {
    /** Result of a completed operation. */
    public static final int LANDED = 0;

    /** Result when the target's lane has no room at present. Nothing has changed. */
    public static final int NO_ROOM = -1;

    /** Number in place of an engine of the origin: its packets arrive over a link. */
    private static final int LINKED = -1;

    /** Flag beside the context of a counter's events: underflow is an error. */
    private static final int NO_UNDERFLOW = 1 << 16;

    private final PeerStates peers;
    private final HitCount hits;
    private final Memory settings;
    private final CounterAdmission admission;
    private final Memory values;
    private final Memory arena;
    private final ContextStates contexts;
    private final ReceptionFifoProducer[] lanes;
    private final boolean areReplies;
    private final OwedEvents owed;
    private final Landing replies;
    private final RemoteReads fetching;
    private final TargetBells bells;
    private final int origin;
    private final int rank;
    private UnderflowHandler underflows = (from, target, counter) -> {};
    private final long valuesOffset;
    private boolean owesEvents;

    private boolean isOpen;
    private int openCounter;
    private int openSpecial;
    private long openBase;
    private long openLimit;

    /**
     * Creates the writer of messages from {@code origin} to {@code target}. The {@code peers} and {@code metrics}
     * belong to the origin.
     */
    public Landing(NodeMemory target, int origin, PeerStates peers, NodeMetrics metrics) {
        this(target, origin, 0, peers, metrics);
    }

    /**
     * Creates the writer of messages from engine {@code engine} of {@code origin} to {@code target}. The
     * {@code metrics} belong to that engine.
     */
    public Landing(NodeMemory target, int origin, int engine, PeerStates peers, NodeMetrics metrics) {
        this(
                target,
                new ReceptionFifoProducer.Origin(origin, engine, false),
                peers,
                metrics.hits(),
                new TargetBells(target));
    }

    /**
     * Creates the writer of messages that arrive at {@code target} over a link from {@code origin}, which has no lanes
     * yet. The {@code hits} belong to the link. Every event is owed, because all room in the lanes belongs to records
     * that the origin has credit for.
     */
    public static Landing ofLink(NodeMemory target, int origin, PeerStates peers, HitCount hits) {
        final TargetBells bells = new TargetBells(target);
        final ReceptionFifoProducer.Origin from = new ReceptionFifoProducer.Origin(origin, LINKED, false);
        final Landing landing = new Landing(target, from, peers, hits, bells);
        landing.owesEvents = true;
        landing.replies.owesEvents = true;
        return landing;
    }

    private Landing(
            NodeMemory target, ReceptionFifoProducer.Origin from, PeerStates peers, HitCount hits, TargetBells bells) {
        this.bells = bells;
        this.rank = target.rank();
        this.valuesOffset = target.receptionValueOffset(0);
        this.peers = peers;
        this.hits = hits;
        this.settings = target.owner();
        this.admission = new CounterAdmission(target, peers);
        this.values = target.values();
        this.arena = target.arena();
        this.origin = from.rank();
        this.contexts = new ContextStates(target);
        this.lanes = lanes(target, from);
        this.areReplies = from.handlers();
        this.owed = new OwedEvents(target);
        this.fetching = new RemoteReads(this, admission, origin, target);
        this.replies = from.handlers()
                ? this
                : new Landing(
                        target, new ReceptionFifoProducer.Origin(from.rank(), from.engine(), true), peers, hits, bells);
    }

    private static ReceptionFifoProducer[] lanes(NodeMemory target, ReceptionFifoProducer.Origin from) {
        if (from.engine() != LINKED) {
            return ReceptionFifoProducer.of(target, from);
        }
        final ReceptionFifoProducer[] none =
                new ReceptionFifoProducer[target.layout().dimensions().contexts()];
        Arrays.fill(none, ReceptionFifoProducer.none());
        return none;
    }

    /** Sets the arrivals of the engine that lands, which rings at the ends of its passes. */
    public void reportTo(Arrivals arrivals) {
        bells.reportTo(arrivals);
    }

    /** Records that a record was published in a lane of the context. */
    public void arrived(int context) {
        bells.mark(1L << context);
    }

    /** Records that something has changed for which the waiters of these contexts, given by bits, may wait. */
    public void arrivedAt(long contexts) {
        bells.mark(contexts);
    }

    /** Records that memory has changed for which the waiter of any context may wait. */
    void arrivedAnywhere() {
        bells.mark(TargetBells.ALL);
    }

    /** Sets the handler of underflows for this landing and that of replies. Called before the first landing. */
    public void onUnderflow(UnderflowHandler handler) {
        underflows = handler;
        replies.underflows = handler;
    }

    /** Returns the writer of the messages of the origin's handlers. Its records go to the lanes for replies. */
    public Landing replies() {
        return replies;
    }

    /** Returns the fetching side of the same origin and the same target. */
    public RemoteReads fetching() {
        return fetching;
    }

    /** Opens a run to a counter: checks that it exists, is enabled, has this incarnation, and admits the origin. */
    public int open(int counter, int incarnation) {
        return open(counter, incarnation, origin);
    }

    /**
     * Opens a run to a counter of the origin's own node, as {@link #open} does, whatever sources it admits. For data
     * that the origin itself has fetched.
     */
    public int openOwn(int counter, int incarnation) {
        assert origin == rank;
        return open(counter, incarnation, CounterAdmission.OWNER);
    }

    private int open(int counter, int incarnation, int source) {
        final int special = check(counter, incarnation, source);
        if (special < 0) {
            return special;
        }
        final long offset = settingsAt(counter);
        isOpen = true;
        openCounter = counter;
        openBase = CounterSettings.base(settings, offset);
        final long limit = CounterSettings.limit(settings, offset);
        // Validate the owner's settings against this process's mapping.
        openLimit = arena.contains(openBase, limit) ? limit : -1;
        openSpecial = special;
        if (CrashPoint.ON) {
            CrashPoint.LANDING_CHECKED.reached();
        }
        return LANDED;
    }

    /**
     * Returns zero for a counter without events and without an error on underflow. Otherwise returns one more than the
     * context that receives its events, or zero, and {@link #NO_UNDERFLOW}. Returns a code below zero if the counter
     * does not admit the source.
     */
    private int check(int counter, int incarnation, int source) {
        final int flags = admit(counter, incarnation, source, CounterSettings.PUT);
        if (flags < 0) {
            return flags;
        }
        return CounterSettings.has(flags, CounterSettings.EVENTS | CounterSettings.NO_UNDERFLOW)
                ? checkSpecial(flags, settingsAt(counter))
                : LANDED;
    }

    private int checkSpecial(int flags, long offset) {
        final int checked = CounterSettings.has(flags, CounterSettings.NO_UNDERFLOW) ? NO_UNDERFLOW : 0;
        final int events = CounterSettings.has(flags, CounterSettings.EVENTS) ? eventContext(offset) : 0;
        return events < 0 ? events : events | checked;
    }

    private int admit(int counter, int incarnation, int source, int right) {
        return admission.admit(counter, incarnation, source, right);
    }

    long settingsAt(int counter) {
        return admission.settingsAt(counter);
    }

    private int eventContext(long offset) {
        final int context = CounterSettings.context(settings, offset);
        return context >= 0 && context < lanes.length ? context + 1 : Refusal.NO_SUCH_CONTEXT.code();
    }

    /**
     * Returns true if the open counter covers {@code length} bytes at {@code offset}. The length must not be negative.
     */
    public boolean admits(long offset, long length) {
        return offset >= 0 && offset <= openLimit - length;
    }

    /** Returns the target's arena, for loops that copy there what the open counter admits. */
    public Memory arena() {
        return arena;
    }

    /** Returns the number of bytes after its base that the open counter covers, or -1 if it covers none. */
    public long openLimit() {
        return openLimit;
    }

    /** Returns the offset in the target's arena of the open counter's base. */
    public long openBase() {
        return openBase;
    }

    /** Copies bytes that the open counter {@link #admits} to its base and {@code offset}. */
    public void land(Memory source, long sourceOffset, long offset, long length) {
        assert isOpen && admits(offset, length);
        source.copyTo(sourceOffset, arena, openBase + offset, length);
    }

    /** Copies at most {@link Memory#SHORT_COPY_LIMIT} bytes, as {@link #land} does. */
    public void landShort(Memory source, long sourceOffset, long offset, int length) {
        assert isOpen && admits(offset, length);
        source.copyShortTo(sourceOffset, arena, openBase + offset, length);
    }

    /** Ends the open run: counts the bytes that landed in it down by one atomic add, after they are in memory. */
    public void close(long bytes) {
        isOpen = false;
        if (CrashPoint.ON) {
            CrashPoint.LANDING_COPIED.reached();
        }
        if (bytes != 0) {
            add(openCounter, -bytes, openSpecial);
        }
    }

    /**
     * Returns a counter that admits changes by the origin, or by the owner. Returns null for one that does not, or that
     * has events or an error on underflow.
     */
    public @Nullable AdmittedCounter admitted(int counter, int incarnation, boolean isOwner) {
        final SeenEntry seen = admission.seen(counter);
        return seen != null && check(counter, incarnation, isOwner ? CounterAdmission.OWNER : origin) == LANDED
                ? new AdmittedCounter(this, seen, counter)
                : null;
    }

    boolean isTargetGone() {
        return admission.isTargetGone();
    }

    /** Lands bytes at an {@link AdmittedCounter}. */
    void landAgain(Memory source, long sourceOffset, long at, long length, int counter) {
        if (CrashPoint.ON) {
            CrashPoint.LANDING_CHECKED.reached();
        }
        if (length <= Memory.SHORT_COPY_LIMIT) {
            source.copyShortTo(sourceOffset, arena, at, (int) length);
        } else {
            source.copyTo(sourceOffset, arena, at, length);
        }
        if (CrashPoint.ON) {
            CrashPoint.LANDING_COPIED.reached();
        }
        if (length != 0) {
            add(counter, -length, LANDED);
        }
    }

    /** Changes an {@link AdmittedCounter}. */
    void countAgain(int counter, long amount) {
        if (CrashPoint.ON) {
            CrashPoint.LANDING_CHECKED.reached();
        }
        add(counter, amount, LANDED);
    }

    /** Changes a counter by a signed amount. */
    public int count(int counter, int incarnation, long amount) {
        return change(counter, incarnation, amount, origin);
    }

    /** Changes a counter of the origin's own node, whatever sources it admits. */
    public int arm(int counter, int incarnation, long amount) {
        assert origin == rank;
        return change(counter, incarnation, amount, CounterAdmission.OWNER);
    }

    private int change(int counter, int incarnation, long amount, int source) {
        final int checked = check(counter, incarnation, source);
        if (checked < 0) {
            return checked;
        }
        if (CrashPoint.ON) {
            CrashPoint.LANDING_CHECKED.reached();
        }
        add(counter, amount, checked);
        return LANDED;
    }

    /** Adds to a counter. Atomic, because several senders may land concurrently, while the owner expects. */
    private void add(int counter, long amount, int special) {
        final long after = values.getAndAddLong(valueAt(counter), amount) + amount;
        arrivedAnywhere();
        if (after <= 0) {
            // A hit is the update that takes the value from above zero to zero or below, or that expects and leaves it
            // there.
            final boolean hit = after > amount || amount > 0;
            if (hit) {
                hits.add();
            }
            if (special != 0) {
                report(counter, hit, amount < 0 && after < 0, special);
            }
        }
    }

    private long valueAt(int counter) {
        return valuesOffset + (long) counter * NodeLayout.COUNTER_VALUE_LENGTH;
    }

    private void report(int counter, boolean hit, boolean underflow, int special) {
        if (underflow && (special & NO_UNDERFLOW) != 0) {
            MemoryAccess.refuse(values, valueAt(counter), Refusal.UNDERFLOW.code(), origin);
            underflows.onUnderflow(origin, rank, counter);
        }
        final int context = special & ~NO_UNDERFLOW;
        if (hit && context != 0) {
            raise(counter, context - 1);
        }
    }

    /** Raises the event of a hit. The data have landed and are counted already, so it cannot wait for room. */
    private void raise(int counter, int context) {
        final ReceptionFifoProducer lane = lanes[context];
        if (owesEvents || lane.claim(0) < 0) {
            owed.add(counter, context);
        } else {
            lane.publishEvent(counter);
        }
    }

    /**
     * Checks that the target is in the job, and an id of one of its contexts, as {@link #checkContext} does. Called
     * before each run of records.
     */
    public int checkTarget(int contextId) {
        return switch (peers.stateAcquire(rank)) {
            case PeerStates.JOINED -> checkContext(contextId);
            case PeerStates.LEFT -> Refusal.PEER_LEFT.code();
            default -> Refusal.PEER_DEAD.code();
        };
    }

    /**
     * Checks an id of a context of the target: {@link #LANDED} if it is the context's present use, or the code of a
     * refusal. Called before each run of records to the context, and not more than a pass before they are published:
     * two quiet points after a client was closed, no engine writes to its contexts.
     */
    public int checkContext(int contextId) {
        final int context = Endpoint.contextOf(contextId);
        if (context >= lanes.length) {
            return Refusal.NO_SUCH_CONTEXT.code();
        }
        return ContextStates.admits(contexts.stateAcquire(context), contextId) ? LANDED : Refusal.STALE_CONTEXT.code();
    }

    /** Returns the lane into the context of an id that {@link #checkContext} admits. */
    public ReceptionFifoProducer laneOf(int contextId) {
        return lanes[Endpoint.contextOf(contextId)];
    }

    /** Returns the lane into a context of the target, by its number, which is below {@link #contexts}. */
    public ReceptionFifoProducer lane(int context) {
        return lanes[context];
    }

    /** Sets the lane into a context of the target, in place of another one. Only for packets of a link. */
    void lane(int context, ReceptionFifoProducer lane) {
        lanes[context] = lane;
    }

    /** Returns true if the records go to the lanes for replies. */
    boolean isOfReplies() {
        return areReplies;
    }

    /** Returns the number of contexts of the target. */
    public int contexts() {
        return lanes.length;
    }

    /** Returns the rank of the target. */
    public int rank() {
        return rank;
    }
}
