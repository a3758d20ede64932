package org.segno.message;

import org.agrona.DirectBuffer;
import org.jspecify.annotations.Nullable;
import org.segno.context.InjectionFifo;
import org.segno.engine.dispatch.Announcement;
import org.segno.memory.InjectionCounter;
import org.segno.memory.MemoryAccess;
import org.segno.memory.Target;
import org.segno.memory.Window;
import org.segno.status.PeerFailedException;
import org.segno.status.Refusal;
import org.segno.status.RefusedException;
import org.segno.status.SegnoException;

/**
 * A long message to this rank: it is fetched, then its sender is notified. Used by one thread.
 *
 * <p>Neither step needs room in a lane, and both go through a separate FIFO. Otherwise they could be delayed by
 * announcements that find no room, although that room becomes free only when earlier announced messages have been
 * fetched.
 */
final class RendezvousReceive {
    private enum State {
        FREE,
        WANTED,
        FETCHING,
        LANDED,
        REPLYING
    }

    private static final Target NOWHERE = new Target(0, 0, 0, 0, false);

    private final InjectionFifo fifo;
    private final InjectionCounter counter;
    private final Window replies;
    private final int replyOffset;
    private State state = State.FREE;
    private int rank;
    private Target source = NOWHERE;
    private Target replyTarget = NOWHERE;
    private long offset;
    private long length;
    private int slot;
    private int ticket;
    private int code;
    private @Nullable Window place;
    private long placeOffset;
    private @Nullable Completion completion;

    /** Creates an unused slot; eight bytes of {@code replies} at {@code replyOffset} are reserved for it. */
    RendezvousReceive(InjectionFifo fifo, InjectionCounter counter, Window replies, int replyOffset) {
        this.fifo = fifo;
        this.counter = counter;
        this.replies = replies;
        this.replyOffset = replyOffset;
    }

    boolean isFree() {
        return state == State.FREE;
    }

    /**
     * Starts the processing of an announcement of {@code sender}. It was accepted if {@code refusal} is zero, otherwise
     * declined for that reason.
     */
    void begin(int sender, DirectBuffer buffer, int at, LandingPlace where, int refusal) {
        rank = sender;
        source = target(source, Announcement.source(buffer, at), Announcement.sourceIncarnation(buffer, at));
        replyTarget = target(
                replyTarget, Announcement.replyCounter(buffer, at), Announcement.replyCounterIncarnation(buffer, at));
        offset = Announcement.offset(buffer, at);
        length = Announcement.length(buffer, at);
        slot = Announcement.slot(buffer, at);
        ticket = (int) Announcement.ticket(buffer, at);
        place = where.window;
        placeOffset = where.offset;
        // The completion of a declined message is not run.
        completion = refusal == 0 ? where.completion : null;
        code = refusal;
        state = refusal == 0 ? State.WANTED : State.LANDED;
    }

    /**
     * Returns the previous target while the counter is the same, to avoid allocation: most messages come from few
     * windows.
     */
    private Target target(Target last, int id, int incarnation) {
        return last.rank() == rank && last.counter() == id && last.incarnation() == incarnation
                ? last
                : new Target(rank, id, incarnation, Long.MAX_VALUE, false);
    }

    /** Advances through the states as far as possible; returns true if the state changed. */
    boolean poll() {
        final State before = state;
        if (state == State.WANTED) {
            fetch();
        }
        if (state == State.FETCHING && (counter.valueAcquire() <= 0 || counter.errorAcquire() != 0)) {
            landed();
        }
        if (state == State.LANDED) {
            reply();
        }
        if (state == State.REPLYING && (counter.valueAcquire() <= 0 || counter.errorAcquire() != 0)) {
            counter.reset();
            state = State.FREE;
        }
        return state != before;
    }

    private void fetch() {
        final Window into = place;
        if (into == null) {
            throw new AssertionError("an accepted message must have a location: " + this);
        }
        if (offset < 0 || offset > Long.MAX_VALUE - length) {
            end(Refusal.SOURCE_OUT_OF_BOUNDS.code());
        } else if (!MemoryAccess.contains(into, placeOffset, length)) {
            // The window was closed after the handler had chosen it.
            end(Refusal.DECLINED.code());
        } else if (fifo.get(source, offset, into, placeOffset, length, counter) >= 0) {
            // Expected after the get, because a get that throws must not leave an expectation.
            counter.expect(length);
            state = State.FETCHING;
        }
    }

    private void landed() {
        final int refusal = InjectionCounter.code(counter.errorAcquire());
        counter.reset();
        end(refusal);
    }

    private void end(int refusal) {
        code = refusal;
        state = State.LANDED;
        final Completion ended = completion;
        completion = null;
        if (ended != null) {
            ended.onComplete(code == 0 ? null : failure());
        }
    }

    private SegnoException failure() {
        final Refusal refusal = Refusal.of(code);
        final String why = refusal == Refusal.DECLINED
                ? place + ": keep a landing window open until its completion has run"
                : Refusal.reason(code);
        final String what = "the message that rank " + rank + " announced cannot be fetched: " + why;
        return Refusal.loss(code, rank) == null
                ? new RefusedException(rank, what)
                : new PeerFailedException(rank, what);
    }

    /** Puts the result into the sender's slot. This needs no room in a lane, so results never wait for messages. */
    private void reply() {
        if (slot < 0 || slot >= RendezvousSends.ALL_SLOTS) {
            // A sender with an invalid slot cannot be notified.
            state = State.FREE;
            return;
        }
        replies.buffer().putLong(replyOffset, Announcement.reply(ticket, code));
        if (fifo.put(replyTarget, (long) slot * Long.BYTES, replies, replyOffset, Long.BYTES, counter) >= 0) {
            counter.expect(Long.BYTES);
            state = State.REPLYING;
        }
    }

    @Override
    public String toString() {
        return "long message of " + length + " bytes from rank " + rank + ", " + state;
    }
}
