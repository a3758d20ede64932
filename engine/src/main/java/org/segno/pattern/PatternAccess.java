package org.segno.pattern;

import java.util.Objects;
import java.util.function.LongFunction;
import org.jspecify.annotations.Nullable;
import org.segno.memory.CounterPair;
import org.segno.memory.InjectionCounter;
import org.segno.memory.ReceptionCounter;
import org.segno.status.PeerFailedException;
import org.segno.status.Refusal;
import org.segno.status.RefusedException;
import org.segno.status.SegnoException;

/** Functions of this package's types for the engine's own packages; not for applications. */
public final class PatternAccess {
    private PatternAccess() {}

    /** As {@link #start(Pattern)}, for a given round of a pattern of a buffer. Returns false if it has no effect. */
    public static boolean start(Pattern pattern, PatternBuffer of, long round) {
        return pattern.isOf(of) && pattern.startAlone(round);
    }

    /**
     * Starts the next round if that is one entry in the run ring and nothing else, and is possible now. Otherwise it
     * has no effect.
     *
     * @return the round, or 0: then {@code Context.replay} starts it, or reports why it cannot be started
     */
    public static long start(Pattern pattern) {
        final long round = pattern.generation() + 1;
        return pattern.startAlone(round) ? round : 0;
    }

    /** Returns the number of its descriptors that arm its counters; they are the last ones. */
    public static int arms(Pattern pattern) {
        return pattern.arms();
    }

    /**
     * Expects bytes in every round of the open recording without ARMs, as {@link Recorder#expectUnarmed} does. A
     * pattern that was prepared or loaded for the same pair is closed when the recording becomes a pattern of its own.
     *
     * @throws IllegalStateException if another pattern has counted the pair down, or the recording is not suitable
     */
    public static void expectUnarmed(PatternBuffer buffer, CounterPair pair, long bytes) {
        UnarmedPairs.requireUncounted(pair, buffer.all());
        Objects.requireNonNull(buffer.recorder()).expectUnarmed(pair, bytes);
    }

    /** Returns true if the pattern belongs to a collective: its counters are never armed. */
    public static boolean isCumulative(Pattern pattern) {
        return pattern.isCumulative();
    }

    /** Returns a counter whose WAIT may hold a round that is not executed yet, or null. */
    public static @Nullable ReceptionCounter heldBy(Pattern pattern, long round) {
        return pattern.heldBy(round);
    }

    /** Returns a counter of a round that is still missing bytes, or null. */
    public static @Nullable ReceptionCounter incomplete(Pattern pattern, long round) {
        return pattern.incomplete(round);
    }

    /** Sets the purpose that the pattern's description contains in parentheses. */
    public static void purpose(Pattern pattern, String text) {
        pattern.purpose(text);
    }

    /** Checks an id chosen by a caller. */
    public static int requireId(int id) {
        return Pattern.requireId(id);
    }

    /**
     * Sets the source of failures of other ranks because of which a round may not become complete. Waits ask it, with
     * the round, while that is not complete.
     */
    public static void failureElsewhere(Pattern pattern, LongFunction<@Nullable SegnoException> source) {
        pattern.failureElsewhere(source);
    }

    /** Gives up the rounds of a pattern because of a failure at a rank: the engine ends those that WAITs hold. */
    public static void giveUp(Pattern pattern, int rank) {
        pattern.giveUp(rank);
    }

    /** Returns the failure of another rank because of which a round may not become complete, or null. */
    public static @Nullable SegnoException failureElsewhere(Pattern pattern, long round) {
        return pattern.failureElsewhere(round);
    }

    /**
     * Returns an exception for the refusal or the death because of which a round of the pattern has failed, here or
     * {@link #failureElsewhere}, or null.
     *
     * @param user the collective or exchange to which the pattern belongs; exceptions contain its text
     */
    public static @Nullable SegnoException failure(Pattern pattern, Object user) {
        final long error = pattern.errorAcquire();
        return error == 0 ? pattern.failureElsewhere(pattern.generation()) : failure(error, user);
    }

    /** Returns the exception of an error word of a pattern, with the text of {@code user}. */
    public static SegnoException failure(long error, Object user) {
        final int rank = InjectionCounter.rank(error);
        final int code = InjectionCounter.code(error);
        final String loss = Refusal.loss(code, rank);
        return loss == null
                ? new RefusedException(rank, "rank " + rank + " refused: " + Refusal.reason(code) + "; in " + user)
                : new PeerFailedException(rank, loss + "; " + user + " needs this rank");
    }
}
