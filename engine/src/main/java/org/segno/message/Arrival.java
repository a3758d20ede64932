package org.segno.message;

import org.agrona.DirectBuffer;
import org.jspecify.annotations.Nullable;
import org.segno.context.InjectionFifo;
import org.segno.counter.InjectionCounter;
import org.segno.dispatch.Announcement;
import org.segno.memory.Window;
import org.segno.operation.Target;
import org.segno.status.PeerFailedException;
import org.segno.status.Refusal;
import org.segno.status.RefusedException;
import org.segno.status.SegnoException;

/**
 * A long message on its way here: fetched, then its sender told. One thread.
 *
 * <p>Neither needs room in a lane, and both go through a FIFO of their own: announcements that find no room would hold them up else, and
 * the room comes only when what was announced before has been fetched.
 */
final class Arrival {
    private enum State {
        FREE,
        WANTED,
        FETCHING,
        LANDED,
        TELLING
    }

    private static final Target NOWHERE = new Target(0, 0, 0, 0, false);

    private final InjectionFifo fifo;
    private final InjectionCounter counter;
    private final Window answers;
    private final int answerOffset;
    private State state = State.FREE;
    private int rank;
    private Target source = NOWHERE;
    private Target told = NOWHERE;
    private long offset;
    private long length;
    private int slot;
    private int ticket;
    private int code;
    private @Nullable Window place;
    private long placeOffset;
    private @Nullable Completion completion;

    /** {@code answers} has eight bytes at {@code answerOffset} for this one. */
    Arrival(InjectionFifo fifo, InjectionCounter counter, Window answers, int answerOffset) {
        this.fifo = fifo;
        this.counter = counter;
        this.answers = answers;
        this.answerOffset = answerOffset;
    }

    boolean isFree() {
        return state == State.FREE;
    }

    /** An announcement of {@code sender} was accepted, or not: {@code refusal} says why. */
    void begin(int sender, DirectBuffer buffer, int at, LandingPlace where, int refusal) {
        rank = sender;
        source = target(source, Announcement.source(buffer, at), Announcement.sourceIncarnation(buffer, at));
        told = target(told, Announcement.told(buffer, at), Announcement.toldIncarnation(buffer, at));
        offset = Announcement.offset(buffer, at);
        length = Announcement.length(buffer, at);
        slot = Announcement.slot(buffer, at);
        ticket = (int) Announcement.ticket(buffer, at);
        place = where.window;
        placeOffset = where.offset;
        // Of a message that is declined nobody hears here.
        completion = refusal == 0 ? where.completion : null;
        code = refusal;
        state = refusal == 0 ? State.WANTED : State.LANDED;
    }

    /** The same object as long as the same peer's counter is meant: most messages come from few windows. */
    private Target target(Target last, int id, int incarnation) {
        return last.rank() == rank && last.counter() == id && last.incarnation() == incarnation
                ? last
                : new Target(rank, id, incarnation, Long.MAX_VALUE, false);
    }

    /** Goes on as far as it can; true if it has got on. */
    boolean poll() {
        final State before = state;
        if (state == State.WANTED) {
            fetch();
        }
        if (state == State.FETCHING && (counter.valueAcquire() <= 0 || counter.errorAcquire() != 0)) {
            landed();
        }
        if (state == State.LANDED) {
            tell();
        }
        if (state == State.TELLING && (counter.valueAcquire() <= 0 || counter.errorAcquire() != 0)) {
            counter.reset();
            state = State.FREE;
        }
        return state != before;
    }

    private void fetch() {
        final Window into = place;
        if (into == null) {
            throw new AssertionError("an accepted message has a place: " + this);
        }
        if (offset < 0 || offset > Long.MAX_VALUE - length) {
            end(Refusal.SOURCE_OUT_OF_BOUNDS.code());
        } else if (!into.contains(placeOffset, length)) {
            // Closed since its handler named it.
            end(Refusal.DECLINED.code());
        } else if (fifo.get(source, offset, into, placeOffset, length, counter) >= 0) {
            // Afterwards: a get that throws must leave nothing that is waited for.
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
        final Completion hearer = completion;
        completion = null;
        if (hearer != null) {
            hearer.onComplete(code == 0 ? null : failure());
        }
    }

    private SegnoException failure() {
        final Refusal refusal = Refusal.of(code);
        final String why = refusal == Refusal.DECLINED
                ? place + ": leave a landing place open until its completion has heard"
                : Refusal.reason(code);
        final String what = "the message that rank " + rank + " announced cannot be fetched: " + why;
        return refusal == Refusal.PEER_DEAD ? new PeerFailedException(rank, what) : new RefusedException(rank, what);
    }

    /** Puts the answer into the sender's slot: that needs no room in a lane, so that answers never wait for messages. */
    private void tell() {
        if (slot < 0 || slot >= Departures.SLOTS) {
            // Whoever writes so does not want to hear of it.
            state = State.FREE;
            return;
        }
        answers.buffer().putLong(answerOffset, Announcement.answer(ticket, code));
        if (fifo.put(told, (long) slot * Long.BYTES, answers, answerOffset, Long.BYTES, counter) >= 0) {
            counter.expect(Long.BYTES);
            state = State.TELLING;
        }
    }

    @Override
    public String toString() {
        return "long message of " + length + " bytes from rank " + rank + ", " + state;
    }
}
