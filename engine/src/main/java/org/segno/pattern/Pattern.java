package org.segno.pattern;

import java.util.HashSet;
import java.util.Set;
import java.util.StringJoiner;
import java.util.function.IntPredicate;
import java.util.function.LongFunction;
import java.util.function.ToLongFunction;
import org.jspecify.annotations.Nullable;
import org.segno.engine.fifo.RunRing;
import org.segno.engine.memory.Memory;
import org.segno.memory.CounterPair;
import org.segno.memory.InjectionCounter;
import org.segno.memory.LocalCounter;
import org.segno.memory.MemoryAccess;
import org.segno.memory.ReceptionCounter;
import org.segno.status.PeerFailedException;
import org.segno.status.Refusal;
import org.segno.status.RefusedException;
import org.segno.status.SegnoException;

/**
 * A recorded section of the pattern buffer. Used by the thread that holds its context.
 *
 * <p>Rounds are numbered by generation. The recording was the first round, or the next one if it replaced an earlier
 * pattern of the same id. A round is complete when the engine has executed it and every counter that it arms is at or
 * below zero. Counters that a many-to-many exchange does not arm have then fallen by the bytes of all rounds. At most
 * two rounds are in progress: one that runs, and a queued one.
 */
public final class Pattern implements AutoCloseable {
    private final PatternBuffer buffer;

    /** Memory and offset of the last executed round, which the error follows. */
    private final Memory states;

    private final long state;

    /** Ring of the buffer's replays. */
    private final RunRing ring;

    /** Offset of the count of changes of peers. */
    private final long changes;

    private final int id;
    private final int index;
    private final Rounds rounds;
    private final int first;

    /** Number of its slots that the engine executes. */
    private final int slots;

    private final int arms;
    private final int armsFirst;
    private final PatternReferences references;
    private final CounterPair[] pairs;
    private final ReceptionCounter[] counters;
    private final Recorder.Threshold[] waits;

    /** Values that the counters have when a round is complete for which nothing is armed. */
    private final Recorder.Threshold[] unarmed;

    /** Ids of the injection counters that WAITs name. */
    private final int[] localWaits;

    private final boolean hasWaits;

    /** True if the values of counters show whether a round is complete: those that it arms must be at or below zero. */
    private final boolean hasCounters;

    /** True if it waits at counters that are never armed. Their values do not show that a round has failed. */
    private final boolean cumulative;

    private final @Nullable LocalCounter unawaited;
    private long generation;

    /** Round behind which the last one was queued; 0 for none. */
    private long predecessor;

    private long lastError;
    private long checkedChanges;
    private boolean closed;
    private boolean released;
    private boolean grouped;

    /** Number of its places in {@link WaitingRounds}. */
    private int places;

    /** Purpose of the pattern, for messages; empty if it has none. */
    private String purpose = "";

    /** Returns the failure of another rank because of which a round may not become complete, or null. */
    private LongFunction<@Nullable SegnoException> failureElsewhere = round -> null;

    Pattern(PatternBuffer buffer, int id, int index, Recorder recorded, long generation) {
        this.buffer = buffer;
        this.ring = buffer.replays();
        this.states = buffer.memory();
        this.state = buffer.state(index);
        this.changes = buffer.peers().changesOffset();
        this.grouped = !recorded.sends();
        this.id = id;
        this.index = index;
        this.rounds = recorded.rounds();
        this.first = (int) recorded.section().start();
        this.unarmed = recorded.unarmed();
        this.slots = (int) recorded.section().length() - unarmed.length;
        this.references = recorded.references();
        this.arms = recorded.arms();
        this.armsFirst = recorded.armsFirst();
        this.pairs = recorded.pairs();
        this.counters = recorded.counters();
        this.waits = recorded.waits();
        this.localWaits = recorded.localWaits();
        this.cumulative = recorded.isCumulative();
        this.hasCounters = pairs.length + counters.length + unarmed.length != 0;
        this.hasWaits = waits.length + localWaits.length != 0;
        this.unawaited = recorded.unawaited();
        this.generation = generation;
        assert !cumulative || unawaited == null : "a round would not wait for " + unawaited;
    }

    /** Checks an id chosen by a caller. */
    static int requireId(int id) {
        if (id < 0) {
            throw new IllegalArgumentException(
                    "ids below zero are reserved for prepared patterns: choose one from 0 on, id=" + id);
        }
        return id;
    }

    /** Returns the id under which the pattern was recorded. */
    public int id() {
        return id;
    }

    /**
     * Returns the number of descriptors in one round, including those that arm its counters, one for each
     * {@code expect}.
     */
    public int descriptors() {
        return slots + unarmed.length;
    }

    public Rounds rounds() {
        return rounds;
    }

    /**
     * Returns the round that was started or queued last. After the recording this is the recorded round, 1 unless the
     * id was recorded before. A pattern that was only prepared, or loaded, has sent nothing and is at 0: its first
     * replay is round 1.
     */
    public long generation() {
        return generation;
    }

    /** Returns true once the pattern accepts no more replays. */
    public boolean isClosed() {
        return closed;
    }

    /** Returns the last round that the engine has completely executed. */
    public long executedAcquire() {
        return released ? generation : states.getLongAcquire(state);
    }

    /** Returns zero, or the first refusal of any of its descriptors: an error word as in an injection counter. */
    public long errorAcquire() {
        return released ? lastError : states.getLongAcquire(state + Long.BYTES);
    }

    /**
     * Returns true if the round that was started last is complete. One that the engine gave up at a WAIT is executed,
     * and misses bytes: at counters that are armed, or as its error shows.
     */
    public boolean isComplete() {
        return executedAcquire() >= generation
                && incomplete(generation) == null
                && (!cumulative || errorAcquire() == 0);
    }

    /**
     * Returns true if {@link #isComplete}, and no round has failed: the next one may be started unless a peer has died.
     */
    public boolean isSound() {
        return executedAcquire() >= generation && errorAcquire() == 0 && incomplete(generation) == null;
    }

    /** Returns a counter of a round that is still missing bytes, or null. */
    @Nullable
    ReceptionCounter incomplete(long round) {
        if (round < generation || !hasCounters) {
            // The next round was started only because this one was complete, or it was queued. Then this round waits
            // for all of its counters before it is executed.
            return null;
        }
        for (final CounterPair pair : pairs) {
            if (!MemoryAccess.isComplete(pair.counter(round))) {
                return pair.counter(round);
            }
        }
        for (final ReceptionCounter counter : counters) {
            if (!MemoryAccess.isComplete(counter)) {
                return counter;
            }
        }
        for (final Recorder.Threshold each : unarmed) {
            if (each.of(round).valueAcquire() > each.limit(round)) {
                return each.of(round);
            }
        }
        return null;
    }

    /**
     * Describes why a round is not complete: every counter that is missing something, and its possible senders. It
     * allocates.
     */
    public String shortage(long round) {
        return isQueued(round)
                ? "round " + round + " of " + this + ", which is queued behind " + shortageOf(predecessor)
                : shortageOf(round);
    }

    private String shortageOf(long round) {
        final boolean executed = executedAcquire() >= round;
        final StringJoiner why = new StringJoiner("; ");
        final Set<ReceptionCounter> named = new HashSet<>();
        why.add("round " + round + " of " + this + (executed ? "" : ", which is not executed yet"));
        if (!executed) {
            for (final Recorder.Threshold wait : waits) {
                if (MemoryAccess.uncheckedValueAcquire(wait.of(round)) > wait.limit(round)
                        && named.add(wait.of(round))) {
                    why.add("a WAIT holds it: " + shortage(wait.counter(), wait.of(round), wait.limit(round)));
                }
            }
        }
        if (!executed && heldBy(round, MemoryAccess::uncheckedValueAcquire) == null) {
            for (final int counter : localWaits) {
                why.add("a WAIT for injection counter " + counter + " may hold it");
            }
            why.add("it communicates with " + references.ranks());
        }
        if (round == generation) {
            for (final CounterPair pair : pairs) {
                if (value(pair.counter(round), executed) > 0 && named.add(pair.counter(round))) {
                    why.add(shortage(pair, pair.counter(round), 0));
                }
            }
            for (final ReceptionCounter counter : counters) {
                if (value(counter, executed) > 0 && named.add(counter)) {
                    why.add(shortage(counter, counter, 0));
                }
            }
            for (final Recorder.Threshold each : unarmed) {
                if (value(each.of(round), executed) > each.limit(round)) {
                    why.add(shortage(each.counter(), each.of(round), each.limit(round)));
                }
            }
        }
        return why.toString();
    }

    /** Returns the value of a counter. It may have been closed while the engine still has the round. */
    private static long value(ReceptionCounter counter, boolean executed) {
        return executed ? counter.valueAcquire() : MemoryAccess.uncheckedValueAcquire(counter);
    }

    private static String shortage(LocalCounter named, ReceptionCounter counter, long value) {
        return counter + (named == counter ? ", " : " of " + named + ", ") + MemoryAccess.shortage(counter, value);
    }

    /** Returns a counter whose WAIT may hold a round that is not executed yet, or null. */
    @Nullable
    ReceptionCounter heldBy(long round) {
        return heldBy(round, ReceptionCounter::valueAcquire);
    }

    private @Nullable ReceptionCounter heldBy(long round, ToLongFunction<ReceptionCounter> value) {
        final long first = isQueued(round) ? predecessor : round;
        for (final Recorder.Threshold wait : waits) {
            if (value.applyAsLong(wait.of(first)) > wait.limit(first)) {
                return wait.of(first);
            }
        }
        return null;
    }

    /**
     * Returns true if a round is held at a WAIT, and {@code lost} accepts the sources of its counter. The round is held
     * at the first WAIT with a counter above the value of that WAIT. The ARMs of a replayed round, if it has any, run
     * before all of its WAITs, so no counter of an earlier WAIT rises above its value again.
     */
    boolean isHeldBy(long round, IntPredicate lost) {
        // The application may have closed the pattern and its counters already.
        final ReceptionCounter counter = heldBy(round, MemoryAccess::uncheckedValueAcquire);
        return counter != null && lost.test(MemoryAccess.sources(counter));
    }

    /** Returns true if a round cannot begin before its predecessor is executed. */
    private boolean isQueued(long round) {
        return round == generation && executedAcquire() < predecessor;
    }

    /** Returns true if the round that was started last waits for its predecessor. */
    boolean isQueued() {
        return isQueued(generation);
    }

    /** Returns the number of rounds that the engine has not executed. */
    int unexecuted() {
        final long executed = executedAcquire();
        if (executed >= generation) {
            return 0;
        }
        return executed < predecessor ? 2 : 1;
    }

    int places() {
        return places;
    }

    void places(int number) {
        places = number;
    }

    /**
     * Checks that its rounds can be queued: they use two sets of slots, and a round is executed only when everything
     * that it expects has arrived.
     *
     * @throws IllegalStateException if they cannot; the message gives the reason and the remedy
     */
    void requireQueueable() {
        if (rounds != Rounds.ALTERNATE) {
            throw new IllegalStateException("a round of " + this + " cannot be queued: with Rounds." + rounds
                    + " all rounds use the same slots; record it with Rounds.ALTERNATE, or replay it when the last"
                    + " round is complete");
        }
        if (unawaited != null) {
            throw new IllegalStateException("a round of " + this + " cannot be queued: it expects bytes at " + unawaited
                    + " and does not wait for them, so that the next round could begin before they have arrived; record"
                    + " waitUntil for " + unawaited + " at 0 after its last expectation");
        }
    }

    /** Returns true if its counters are not armed. */
    boolean isCumulative() {
        return cumulative;
    }

    /** Returns true if a round may have to wait within the engine. */
    boolean hasWaits() {
        return hasWaits;
    }

    /** Returns true if its descriptors are in the order of {@link SectionOrder}. */
    boolean isGrouped() {
        return grouped;
    }

    void grouped() {
        grouped = true;
    }

    /**
     * Starts a round by an entry in the run ring, if nothing else is needed. Returns false without any effect if it may
     * be: then {@link PatternBuffer#replay} finds out what.
     *
     * <p>It reads this object, the ring and their memory, and no others: where several processes share a core, all of
     * these have left its first caches since the last start, and each reference to one more object takes some
     * nanoseconds.
     */
    boolean startAlone(long round) {
        final boolean isAlone = round == generation + 1
                && !closed
                && ring.mayStart()
                && isSound()
                && states.getLongAcquire(changes) == checkedChanges
                && grouped
                && (places != 0 || !hasWaits)
                && ring.offer(first, slots, armsFirst, index, round) >= 0;
        if (isAlone) {
            started(round, 0);
        }
        return isAlone;
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

    /**
     * Returns the first slot of its section. The fields that a replay reads lie in this object, because by then other
     * patterns have evicted everything else from the cache.
     */
    int first() {
        return first;
    }

    /** Returns the number of its slots that the engine executes. */
    int slots() {
        return slots;
    }

    /** Returns true if its rounds count a pair down that it does not arm. */
    boolean falls(CounterPair pair) {
        for (final Recorder.Threshold each : unarmed) {
            if (each.counter() == pair) {
                return true;
            }
        }
        return false;
    }

    /** Returns the number of its last slots, which hold what it expects. */
    int arms() {
        return arms;
    }

    /** Returns the number of them that a replay carries out before everything else: all or none. */
    int armsFirst() {
        return armsFirst;
    }

    /**
     * Checks that all ranks that the pattern communicates with are alive. While no peer changes, this reads one word
     * that all patterns share.
     *
     * @throws PeerFailedException if one is known to have died; the message gives the remedy
     */
    public void requireAlive() {
        final long seen = states.getLongAcquire(changes);
        if (seen == checkedChanges) {
            return;
        }
        final int dead = references.dead(buffer.peers());
        if (dead >= 0) {
            throw new PeerFailedException(
                    dead,
                    this + " is stale: " + buffer.peers().loss(dead) + ", and it needs this rank; close it, and record"
                            + " a new pattern for the other ranks");
        }
        checkedChanges = seen;
    }

    /**
     * Checks that every counter and client that the pattern was recorded for still exists. A closed one is detected by
     * the refusal of an earlier round.
     *
     * @throws RefusedException if a counter or a client was closed by its owner; the message gives the remedy
     */
    public void requireFresh() {
        final long error = errorAcquire();
        if (error == 0) {
            return;
        }
        final int rank = InjectionCounter.rank(error);
        final Refusal refusal = Refusal.of(InjectionCounter.code(error));
        if (refusal == Refusal.STALE_COUNTER) {
            throw stale(rank, refusal, "attach to the counter that rank " + rank + " publishes now");
        }
        if (refusal == Refusal.STALE_CONTEXT) {
            throw stale(rank, refusal, "find the client that rank " + rank + " opens next with Client.endpoint");
        }
    }

    private RefusedException stale(int rank, Refusal refusal, String remedy) {
        return new RefusedException(
                rank,
                this + " is stale: rank " + rank + " refused a round of it, " + refusal.reason() + "; " + remedy
                        + ", and record the pattern again");
    }

    /**
     * Checks that the last round can still be complete.
     *
     * @throws RefusedException if one of its counters forbids underflow and was counted below zero
     */
    void requireNoUnderflow() {
        final ReceptionCounter incomplete = incomplete(generation);
        final long error = incomplete == null ? 0 : incomplete.errorAcquire();
        if (error != 0) {
            final int rank = InjectionCounter.rank(error);
            throw new RefusedException(
                    rank,
                    this + " cannot be replayed: " + incomplete + " received a message of rank " + rank + ": "
                            + Refusal.reason(InjectionCounter.code(error)));
        }
    }

    /** Gives up its rounds because of a failure at a rank: the engine ends those in progress at their WAITs. */
    void giveUp(int rank) {
        if (!released) {
            buffer.giveUp(index, MemoryAccess.error(Refusal.ROUND_FAILED.code(), rank));
        }
    }

    void failureElsewhere(LongFunction<@Nullable SegnoException> source) {
        failureElsewhere = source;
    }

    @Nullable
    SegnoException failureElsewhere(long round) {
        return failureElsewhere.apply(round);
    }

    /** Sets the purpose that the pattern's description contains. */
    void purpose(String text) {
        purpose = text;
    }

    /** Records that a round was started, or queued behind the one that was started last; 0 for none. */
    void started(long round, long behind) {
        predecessor = behind;
        generation = round;
    }

    /** Releases the pattern after another recording has taken over its id and its state. */
    void replaced() {
        closed = true;
        released();
    }

    /**
     * Releases the pattern after the engine has finished it. Others may use its slots and its state, and its counters
     * may be awaited again.
     */
    void released() {
        lastError = errorAcquire();
        released = true;
        references.pin().release(() -> true);
        for (final CounterPair pair : pairs) {
            MemoryAccess.disarm(pair);
        }
        for (final ReceptionCounter counter : counters) {
            MemoryAccess.disarm(counter);
        }
    }

    /** Ends replays. Queued runs finish; then the section is freed. Idempotent. */
    @Override
    public void close() {
        if (!closed) {
            buffer.requireCloseable(this);
            closed = true;
            final long last = generation;
            references.pin().release(() -> states.getLongAcquire(state) >= last);
            for (final Recorder.Threshold each : unarmed) {
                if (last != 0) {
                    MemoryAccess.fallen((CounterPair) each.counter());
                }
            }
            buffer.retire(this);
        }
    }

    @Override
    public String toString() {
        return "pattern " + id + " of " + descriptors() + " descriptors, generation " + generation
                + (purpose.isEmpty() ? "" : " (" + purpose + ")");
    }
}
