package org.segno.pattern;

import java.util.StringJoiner;
import org.jspecify.annotations.Nullable;
import org.segno.counter.CounterPair;
import org.segno.counter.InjectionCounter;
import org.segno.counter.LocalCounter;
import org.segno.counter.ReceptionCounter;
import org.segno.status.PeerFailedException;
import org.segno.status.Refusal;
import org.segno.status.RefusedException;

/**
 * A recorded section: what {@link PatternBuffer} replays. Used by the thread that holds its context.
 *
 * <p>Rounds are numbered by generation; the recording was the first, or, of an id recorded anew, the next. A round is complete when the engine has executed it and then
 * every counter that it arms is at or below zero.
 */
public final class Pattern implements AutoCloseable {
    private final PatternBuffer buffer;
    private final int id;
    private final int index;
    private final Rounds rounds;
    private final int first;
    private final int slots;
    private final int arms;
    private final Naming naming;
    private final CounterPair[] pairs;
    private final ReceptionCounter[] counters;
    private final Recorder.Wait[] waits;
    private long generation;
    private long lastError;
    private long checkedChanges;
    private boolean closed;
    private boolean released;

    Pattern(PatternBuffer buffer, int id, int index, Recorder recorded, long generation) {
        this.buffer = buffer;
        this.id = id;
        this.index = index;
        this.rounds = recorded.rounds();
        this.first = (int) recorded.section().start();
        this.slots = (int) recorded.section().length();
        this.naming = recorded.naming();
        this.arms = recorded.arms();
        this.pairs = recorded.pairs();
        this.counters = recorded.counters();
        this.waits = recorded.waits();
        this.generation = generation;
    }

    /** Checks an id that a caller names. */
    public static int requireId(int id) {
        if (id < 0) {
            throw new IllegalArgumentException(
                    "ids below zero are given to what is prepared: name one from 0 on, id=" + id);
        }
        return id;
    }

    /** The id under which it was recorded. */
    public int id() {
        return id;
    }

    /** Descriptors of one round, those that arm its counters among them, one for each {@code expect}. */
    public int descriptors() {
        return slots;
    }

    public Rounds rounds() {
        return rounds;
    }

    /** The round that was started last: once it is recorded that of the recording, 1 unless its id was recorded anew. */
    public long generation() {
        return generation;
    }

    /** True once it takes no more replays. */
    public boolean isClosed() {
        return closed;
    }

    /** The last round that the engine has executed whole. */
    public long executedAcquire() {
        return released ? generation : buffer.executedAcquire(index);
    }

    /** Zero, or the first refusal of any of its descriptors: an error word as in an injection counter. */
    public long errorAcquire() {
        return released ? lastError : buffer.errorAcquire(index);
    }

    /** True if the round that was started last is complete. */
    public boolean isComplete() {
        return executedAcquire() >= generation && incomplete(generation) == null;
    }

    /** A counter of a round that still misses bytes, or null. */
    public @Nullable ReceptionCounter incomplete(long round) {
        if (round < generation) {
            // The next round was let start because this one was complete.
            return null;
        }
        for (final CounterPair pair : pairs) {
            if (pair.counter(round).valueAcquire() > 0) {
                return pair.counter(round);
            }
        }
        for (final ReceptionCounter counter : counters) {
            if (counter.valueAcquire() > 0) {
                return counter;
            }
        }
        return null;
    }

    /** Why a round is not complete, in words: every counter that misses something, and from whom it may come. It allocates. */
    public String shortage(long round) {
        final boolean executed = executedAcquire() >= round;
        final StringJoiner why = new StringJoiner("; ");
        why.add("round " + round + " of " + this + (executed ? "" : ", which is not executed yet"));
        if (!executed) {
            for (final Recorder.Wait wait : waits) {
                if (wait.of(round).valueAcquire() > wait.value()) {
                    why.add("a WAIT holds it: " + shortage(wait.counter(), wait.of(round), wait.value()));
                }
            }
        }
        if (!executed && heldBy(round) == null) {
            why.add("it sends to or hears from " + naming.ranks());
        }
        if (round == generation) {
            for (final CounterPair pair : pairs) {
                if (pair.counter(round).valueAcquire() > 0) {
                    why.add(shortage(pair, pair.counter(round), 0));
                }
            }
            for (final ReceptionCounter counter : counters) {
                if (counter.valueAcquire() > 0) {
                    why.add(shortage(counter, counter, 0));
                }
            }
        }
        return why.toString();
    }

    private static String shortage(LocalCounter named, ReceptionCounter counter, long value) {
        return counter + (named == counter ? " " : " of " + named + " ") + counter.shortage(value);
    }

    /** A counter for which the engine holds a round that is not executed yet, or null. */
    public @Nullable ReceptionCounter heldBy(long round) {
        for (final Recorder.Wait wait : waits) {
            if (wait.of(round).valueAcquire() > wait.value()) {
                return wait.of(round);
            }
        }
        return null;
    }

    /** True if a round may have to wait within the engine. */
    boolean hasWaits() {
        return waits.length != 0;
    }

    boolean isOf(PatternBuffer some) {
        return buffer == some;
    }

    String owner() {
        return buffer.owner();
    }

    int index() {
        return index;
    }

    /** First slot of its section. What a replay reads lies in this object: other patterns have driven the rest out of the cache. */
    int first() {
        return first;
    }

    /** Those of its descriptors that arm its counters: the last. */
    public int arms() {
        return arms;
    }

    /**
     * Checks that all ranks that it sends to or hears from are alive. As long as no peer changes, one look at a word that all patterns share.
     *
     * @throws PeerFailedException if one has died, once that is known; says the remedy
     */
    public void requireAlive() {
        final long changes = buffer.peers().changesAcquire();
        if (changes == checkedChanges) {
            return;
        }
        final int dead = naming.dead(buffer.peers());
        if (dead >= 0) {
            throw new PeerFailedException(
                    dead,
                    this + " is stale: rank " + dead + ", which it sends to or hears from, has died; close it, and"
                            + " record what the others need anew");
        }
        checkedChanges = changes;
    }

    /**
     * Checks that every counter that it was recorded for is still there, as far as its rounds have found out.
     *
     * @throws RefusedException if one was closed by its owner; says the remedy
     */
    public void requireFresh() {
        final long error = errorAcquire();
        if (error != 0 && Refusal.of(InjectionCounter.code(error)) == Refusal.STALE_COUNTER) {
            final int rank = InjectionCounter.rank(error);
            throw new RefusedException(
                    rank,
                    this + " is stale: rank " + rank + " refused a round of it, " + Refusal.STALE_COUNTER.reason()
                            + "; attach what rank " + rank + " publishes now, and record the pattern anew");
        }
    }

    void started(long round) {
        generation = round;
    }

    /** Another recording has taken its id and its state. */
    void replaced() {
        closed = true;
        released();
    }

    /** The engine is done with it: its slots and its state go to others, and its counters may be awaited again. */
    void released() {
        lastError = errorAcquire();
        released = true;
        naming.pin().release(() -> true);
        for (final CounterPair pair : pairs) {
            pair.disarm();
        }
        for (final ReceptionCounter counter : counters) {
            counter.disarm();
        }
    }

    /** Takes no more replays. Runs that are queued finish; then the section is given back. May be called twice. */
    @Override
    public void close() {
        if (!closed) {
            buffer.requireCloseable(this);
            closed = true;
            final long last = generation;
            naming.pin().release(() -> buffer.executedAcquire(index) >= last);
            buffer.retire(this);
        }
    }

    @Override
    public String toString() {
        return "pattern " + id + " of " + descriptors() + " descriptors, generation " + generation;
    }
}
