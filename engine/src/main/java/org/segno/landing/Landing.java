package org.segno.landing;

import org.segno.counter.CounterSettings;
import org.segno.fault.CrashPoint;
import org.segno.fifo.ReceptionFifoProducer;
import org.segno.memory.Memory;
import org.segno.memory.NodeLayout;
import org.segno.memory.NodeMemory;
import org.segno.memory.PeerStates;
import org.segno.metrics.Metric;
import org.segno.metrics.NodeMetrics;
import org.segno.status.Refusal;

/**
 * Writes what one origin sends into one target's memory. One thread, the engine that lands.
 *
 * <p>Bytes for a counter come in runs: {@link #open} checks the counter, {@link #land} checks each range and copies,
 * {@link #close} counts the whole run down by one atomic add, after its payload. A counter with events has room for its record
 * in the owner's lane before its first byte lands.
 *
 * <p>Answers: {@link #LANDED}, {@link #NO_ROOM}, or the code of a {@link Refusal}.
 */
public final class Landing {
    /** Done. */
    public static final int LANDED = 0;

    /** The target's lane has no room now; nothing has happened. */
    public static final int NO_ROOM = -1;

    /** Source of a change that the counter's owner makes itself: always admitted. */
    private static final int OWNER = -3;

    private final PeerStates peers;
    private final NodeMetrics metrics;
    private final Memory settings;
    private final Memory values;
    private final Memory arena;
    private final ReceptionFifoProducer[] lanes;
    private final Landing replies;
    private final Fetching fetching;
    private final int origin;
    private final int counters;
    private final int rank;
    private final long settingsOffset;
    private final long valuesOffset;

    private boolean isOpen;
    private int openCounter;
    private int openEvents;
    private long openBase;
    private long openLimit;

    /** What {@code origin} sends to {@code target}; {@code peers} and {@code metrics} are the origin's. */
    public Landing(NodeMemory target, int origin, PeerStates peers, NodeMetrics metrics) {
        this(target, origin, 0, peers, metrics);
    }

    /** What engine {@code engine} of {@code origin} sends to {@code target}; {@code metrics} are that engine's. */
    public Landing(NodeMemory target, int origin, int engine, PeerStates peers, NodeMetrics metrics) {
        this(target, new ReceptionFifoProducer.Origin(origin, engine, false), peers, metrics);
    }

    private Landing(NodeMemory target, ReceptionFifoProducer.Origin from, PeerStates peers, NodeMetrics metrics) {
        this.rank = target.rank();
        this.settingsOffset = target.counterSettingsOffset(0);
        this.valuesOffset = target.receptionValueOffset(0);
        this.peers = peers;
        this.metrics = metrics;
        this.settings = target.owner();
        this.values = target.peers();
        this.arena = target.arena();
        this.origin = from.rank();
        this.counters = target.layout().dimensions().receptionCounters();
        this.lanes = ReceptionFifoProducer.of(target, from);
        this.fetching = new Fetching(this, target);
        this.replies = from.handlers()
                ? this
                : new Landing(
                        target, new ReceptionFifoProducer.Origin(from.rank(), from.engine(), true), peers, metrics);
    }

    /** The same for what the origin's handlers send: its records go to the lanes for replies. */
    public Landing replies() {
        return replies;
    }

    /** What the same origin fetches from the same target. */
    public Fetching fetching() {
        return fetching;
    }

    /** Opens a run to a counter: checks that it exists, is enabled, is the one meant, and admits the origin. */
    public int open(int counter, int incarnation) {
        return open(counter, incarnation, origin);
    }

    /** As {@link #open}, of a counter of the origin's own, whomever it admits: for what the origin fetches itself. */
    public int openOwn(int counter, int incarnation) {
        assert origin == rank;
        return open(counter, incarnation, OWNER);
    }

    private int open(int counter, int incarnation, int source) {
        final int events = check(counter, incarnation, source);
        if (events < 0) {
            return events;
        }
        final long offset = settingsAt(counter);
        isOpen = true;
        openCounter = counter;
        openBase = CounterSettings.base(settings, offset);
        final long limit = CounterSettings.limit(settings, offset);
        // What the owner says of itself is checked against what this process has mapped.
        openLimit = arena.contains(openBase, limit) ? limit : -1;
        openEvents = events;
        if (CrashPoint.ON) {
            CrashPoint.LANDING_CHECKED.reached();
        }
        return LANDED;
    }

    /** Zero, one more than the context that gets the events, or an answer below zero. */
    private int check(int counter, int incarnation, int source) {
        final int flags = admit(counter, incarnation, source, CounterSettings.PUT);
        if (flags < 0) {
            return flags;
        }
        return (flags & CounterSettings.EVENTS) == 0 ? LANDED : checkEventRoom(settingsAt(counter));
    }

    /** As the other, for the origin. */
    int admit(int counter, int incarnation, int right) {
        return admit(counter, incarnation, origin, right);
    }

    /** The flags of a counter that exists, is enabled, is the one meant and gives {@code source} a right; or an answer below zero. */
    private int admit(int counter, int incarnation, int source, int right) {
        if (counter < 0 || counter >= counters) {
            return Refusal.NO_SUCH_COUNTER.code();
        }
        if (peers.isDead(rank)) {
            return Refusal.PEER_DEAD.code();
        }
        final long offset = settingsAt(counter);
        final long state = CounterSettings.stateAcquire(settings, offset);
        final int flags = CounterSettings.flags(state);
        if ((flags & CounterSettings.ENABLED) == 0) {
            // One that was closed stands at its next use already.
            final boolean closed = CounterSettings.incarnation(state) > incarnation;
            return (closed ? Refusal.STALE_COUNTER : Refusal.COUNTER_DISABLED).code();
        }
        if (CounterSettings.incarnation(state) != incarnation) {
            return Refusal.STALE_COUNTER.code();
        }
        final int sources = CounterSettings.sources(settings, offset);
        if (source == OWNER) {
            return flags;
        }
        if (sources != CounterSettings.ANYBODY && sources != source) {
            return Refusal.SOURCE_NOT_ADMITTED.code();
        }
        return (flags & right) == 0 ? withoutRight(right) : flags;
    }

    private static int withoutRight(int right) {
        return switch (right) {
            case CounterSettings.GET -> Refusal.NOT_READABLE.code();
            case CounterSettings.ATOMIC -> Refusal.NOT_ATOMIC.code();
            default -> Refusal.NOT_WRITABLE.code();
        };
    }

    long settingsAt(int counter) {
        return settingsOffset + (long) counter * NodeLayout.COUNTER_SETTINGS_LENGTH;
    }

    private int checkEventRoom(long offset) {
        final int context = CounterSettings.context(settings, offset);
        if (context < 0 || context >= lanes.length) {
            return Refusal.NO_SUCH_CONTEXT.code();
        }
        return lanes[context].claim(0) < 0 ? noRoom() : context + 1;
    }

    /** True if the open counter covers {@code length} bytes, not negative, at {@code offset}. */
    public boolean admits(long offset, long length) {
        return offset >= 0 && offset <= openLimit - length;
    }

    /** Offset in the target's arena of the open counter's base. */
    public long openBase() {
        return openBase;
    }

    /** Copies bytes that the open counter {@link #admits} to its base and {@code offset}. */
    public void land(Memory source, long sourceOffset, long offset, long length) {
        assert isOpen && admits(offset, length);
        source.copyTo(sourceOffset, arena, openBase + offset, length);
    }

    /** As {@link #land}, for at most {@link Memory#SHORT_COPY_LIMIT} bytes. */
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
            add(openCounter, -bytes, openEvents);
        }
    }

    /** Changes a counter by a signed amount. */
    public int count(int counter, int incarnation, long amount) {
        return change(counter, incarnation, amount, origin);
    }

    /** Changes a counter of the origin's own, whomever it admits. */
    public int arm(int counter, int incarnation, long amount) {
        assert origin == rank;
        return change(counter, incarnation, amount, OWNER);
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

    /** Atomic, because several senders may land at once, and the owner expects meanwhile. */
    private void add(int counter, long amount, int events) {
        final long before =
                values.getAndAddLong(valuesOffset + (long) counter * NodeLayout.COUNTER_VALUE_LENGTH, amount);
        // A hit belongs to whoever takes the value from above zero to zero or below, or leaves it there by expecting.
        final boolean hit = before + amount <= 0 && (before > 0 || amount > 0);
        if (hit) {
            metrics.add(Metric.HITS, 1);
            if (events != 0) {
                lanes[events - 1].publishEvent(counter);
            }
        }
    }

    /** The lane into a context of the target, one below {@link #contexts}. */
    public ReceptionFifoProducer lane(int context) {
        return lanes[context];
    }

    /** Contexts of the target. */
    public int contexts() {
        return lanes.length;
    }

    /** Why a lane has no room: its reader is late, or has left and never comes. */
    public int noRoom() {
        return peers.hasLeft(rank) ? Refusal.PEER_LEFT.code() : NO_ROOM;
    }

    /** True once the target has died. */
    public boolean isDead() {
        return peers.isDead(rank);
    }
}
