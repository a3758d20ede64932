package org.segno.context;

import java.util.function.BooleanSupplier;
import java.util.function.IntPredicate;
import org.jspecify.annotations.Nullable;
import org.segno.engine.counter.CounterSettings;
import org.segno.engine.fifo.FifoMetadata;
import org.segno.memory.Closing;
import org.segno.memory.InjectionCounter;
import org.segno.memory.MemoryAccess;
import org.segno.memory.ReceptionCounter;
import org.segno.pattern.Pattern;
import org.segno.pattern.PatternAccess;
import org.segno.status.PeerFailedException;
import org.segno.status.Refusal;
import org.segno.status.RefusedException;
import org.segno.status.SegnoException;
import org.segno.status.Status;

/**
 * A condition that a context waits for. A context keeps one instance of most kinds and reuses it, so that these waits
 * allocate nothing.
 */
interface Condition extends IntPredicate {
    boolean isMet();

    /** Throws if the condition itself has failed. */
    default void check() {}

    /**
     * Returns the sources that the condition depends on: a rank, a constant of {@link CounterSettings}, or a set of
     * {@link org.segno.engine.counter.RankSets} of the node. By default the death of a rank does not end the wait: the
     * condition may still be met, or reports a failure itself.
     */
    default int sources() {
        return ReceptionCounter.NOBODY;
    }

    /** Returns false if the end of a rank among {@link #sources} does not affect the condition. */
    @Override
    default boolean test(int rank) {
        return true;
    }

    /**
     * Returns true if the rank's own engine must carry out more for it, whoever the sources are. Rounds that are held
     * for ever then keep it from being met.
     */
    default boolean needsEngine() {
        return false;
    }

    String describe();

    /** Throws the exception for an error word. The message is built only then. */
    private static void throwError(long error, String what, Object subject) {
        if (error == 0) {
            return;
        }
        final int rank = InjectionCounter.rank(error);
        final int code = InjectionCounter.code(error);
        final String loss = Refusal.loss(code, rank);
        if (loss != null) {
            throw new PeerFailedException(rank, loss + "; " + what + subject);
        }
        final String who = code == Refusal.UNDERFLOW.code() ? "a message of rank " + rank : "rank " + rank + " refused";
        throw new RefusedException(rank, who + ": " + Refusal.reason(code) + "; " + what + subject);
    }

    /** Arrival of everything expected at a reception counter. */
    final class Received implements Condition {
        private @Nullable ReceptionCounter counter;

        Received of(ReceptionCounter awaited) {
            counter = awaited;
            return this;
        }

        @Override
        public boolean isMet() {
            return counter == null || MemoryAccess.isComplete(counter);
        }

        @Override
        public void check() {
            if (counter != null) {
                throwError(counter.errorAcquire(), "waiting for ", counter);
            }
        }

        @Override
        public int sources() {
            return counter == null ? ReceptionCounter.NOBODY : MemoryAccess.sources(counter);
        }

        @Override
        public String describe() {
            return counter == null ? "nothing" : counter + ", " + MemoryAccess.shortage(counter, 0);
        }
    }

    /** Completion of all reads expected at an injection counter. */
    final class Injected implements Condition {
        private @Nullable InjectionCounter counter;

        Injected of(InjectionCounter awaited) {
            counter = awaited;
            return this;
        }

        @Override
        public boolean isMet() {
            return counter == null || (counter.valueAcquire() <= 0 && counter.errorAcquire() == 0);
        }

        @Override
        public void check() {
            if (counter != null) {
                throwError(counter.errorAcquire(), "waiting for ", counter);
            }
        }

        @Override
        public boolean needsEngine() {
            return true;
        }

        @Override
        public String describe() {
            return counter == null
                    ? "nothing"
                    : counter + ", of which " + counter.valueAcquire() + " bytes are not injected";
        }
    }

    /** Execution of a pattern's round and arrival of everything that it expects. */
    final class Round implements Condition {
        private @Nullable Pattern pattern;
        private long generation;

        Round of(Pattern awaited, long round) {
            pattern = awaited;
            generation = round;
            return this;
        }

        @Override
        public boolean isMet() {
            return pattern == null
                    || (pattern.executedAcquire() >= generation
                            && PatternAccess.incomplete(pattern, generation) == null
                            && pattern.errorAcquire() == 0);
        }

        @Override
        public void check() {
            if (pattern != null) {
                pattern.requireFresh();
                final long refusal = pattern.errorAcquire();
                if (refusal != 0) {
                    throwError(refusal, "waiting for ", pattern.shortage(generation));
                }
                final ReceptionCounter incomplete = PatternAccess.incomplete(pattern, generation);
                final long error = incomplete == null ? 0 : incomplete.errorAcquire();
                if (error != 0) {
                    throwError(error, "waiting for ", incomplete + ", which " + pattern + " expects");
                }
                final SegnoException elsewhere = PatternAccess.failureElsewhere(pattern, generation);
                // The engine of another thread may have completed the round meanwhile.
                if (elsewhere != null && !isMet()) {
                    throw elsewhere;
                }
            }
        }

        @Override
        public int sources() {
            final ReceptionCounter missing = pattern == null ? null : missing(pattern);
            return missing == null ? ReceptionCounter.NOBODY : MemoryAccess.sources(missing);
        }

        private @Nullable ReceptionCounter missing(Pattern of) {
            final ReceptionCounter incomplete = PatternAccess.incomplete(of, generation);
            return incomplete != null || of.executedAcquire() >= generation
                    ? incomplete
                    : PatternAccess.heldBy(of, generation);
        }

        @Override
        public boolean needsEngine() {
            return pattern != null && pattern.executedAcquire() < generation;
        }

        @Override
        public String describe() {
            return pattern == null ? "nothing" : pattern.shortage(generation);
        }
    }

    /**
     * Completion of the closing of a window or counter.
     *
     * @param closing the window or counter that is being closed
     */
    record Closed(Closing closing) implements Condition {
        @Override
        public boolean isMet() {
            return closing.isDone();
        }

        @Override
        public String describe() {
            return closing.toString();
        }
    }

    /** The end of a descriptor in the FIFO of a context, and of all before it, whichever rank dies. */
    record CarriedOut(Context context, long position) implements Condition {
        @Override
        public boolean isMet() {
            return context.isCarriedOut(position);
        }

        @Override
        public boolean needsEngine() {
            return true;
        }

        @Override
        public String describe() {
            return "the descriptor at position " + position + " of the injection FIFO";
        }
    }

    /**
     * Room in an injection FIFO for another descriptor. No death affects it: descriptors for a dead rank are refused.
     *
     * @param fifo the FIFO
     */
    record Room(FifoMetadata fifo) implements Condition {
        @Override
        public boolean isMet() {
            return fifo.hasRoom();
        }

        @Override
        public String describe() {
            return "room in the injection FIFO";
        }
    }

    /** Start of a pattern's next round, which is attempted at each check. */
    final class Started implements Condition {
        private final Context context;
        private final Pattern pattern;
        private final Object subject;
        private long status;

        /** Creates the condition; {@code subject} describes the round in messages. */
        Started(Context context, Pattern pattern, Object subject) {
            this.context = context;
            this.pattern = pattern;
            this.subject = subject;
        }

        /** Returns the round. Valid once the condition is met. */
        long round() {
            return status;
        }

        @Override
        public boolean isMet() {
            status = context.replay(pattern);
            return status >= 0;
        }

        @Override
        public void check() {
            // It would be busy for ever: a round of a collective was given up.
            final SegnoException failure =
                    PatternAccess.isCumulative(pattern) ? PatternAccess.failure(pattern, subject) : null;
            if (failure != null) {
                throw failure;
            }
        }

        @Override
        public String describe() {
            return subject + ", which could not start: " + Status.name(status);
        }
    }

    /** Completion of everything injected before, replays included. */
    final class Fenced implements Condition {
        private final FifoSet fifos;
        private int sources = ReceptionCounter.NOBODY;

        Fenced(FifoSet fifos) {
            this.fifos = fifos;
        }

        /** Sets the marks at the current tails. The death of a rank in {@code concerning} ends the wait. */
        Fenced of(int concerning) {
            sources = concerning;
            fifos.mark();
            return this;
        }

        @Override
        public boolean isMet() {
            return fifos.isPastMarks();
        }

        @Override
        public int sources() {
            return sources;
        }

        @Override
        public boolean needsEngine() {
            return true;
        }

        @Override
        public String describe() {
            return "the descriptors injected before a fence, of which " + fifos.beforeMarks();
        }
    }

    /** A condition of the application that its handlers establish. */
    final class Supplied implements Condition {
        private BooleanSupplier supplier = () -> true;

        Supplied of(BooleanSupplier awaited) {
            supplier = awaited;
            return this;
        }

        @Override
        public boolean isMet() {
            return supplier.getAsBoolean();
        }

        @Override
        public int sources() {
            return ReceptionCounter.ANYBODY;
        }

        @Override
        public String describe() {
            return "a condition of the application";
        }
    }
}
