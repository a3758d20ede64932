package org.segno.collective;

import java.util.Arrays;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLongFieldUpdater;
import java.util.function.LongSupplier;
import java.util.stream.IntStream;
import org.agrona.concurrent.AtomicBuffer;
import org.agrona.concurrent.UnsafeBuffer;
import org.jspecify.annotations.Nullable;
import org.segno.context.Context;
import org.segno.context.ContextAccess;
import org.segno.engine.job.Inquiries;
import org.segno.memory.CounterPair;
import org.segno.memory.InjectionCounter;
import org.segno.memory.Target;
import org.segno.memory.Window;
import org.segno.status.Deadline;
import org.segno.status.DeadlineException;
import org.segno.status.RefusedException;
import org.segno.status.SegnoException;

/**
 * Numbers of the rounds that the members of a geometry have started. When a wait has reached its deadline, they show
 * which member has not started the round. A counter to which several members send shows only how many bytes are
 * missing.
 *
 * <p>Each member writes its number to a word of its {@link Agreement}, which no other member writes, and others on the
 * same host read it there by a get: their memory is mapped, so that they need not take part, and may be stopped.
 * Those of members on other hosts are read by {@link Inquiries}: a get would need passes of the owner, and descriptors
 * injected behind it would wait for its reply.
 */
final class StartedRounds {
    /**
     * Maximum time for reading the numbers. The engine's next pass reads them, unless the FIFO stands at a WAIT or the
     * engine's thread has no core.
     */
    private static final long ANSWER_MS = 500;

    /** In place of the number of a member that was not asked, or has not answered. */
    static final long NO_ANSWER = Inquiries.UNKNOWN;

    /** Loads less at the first creation of a geometry than a VarHandle. */
    private static final AtomicLongFieldUpdater<StartedRounds> COUNT =
            AtomicLongFieldUpdater.newUpdater(StartedRounds.class, "count");

    private final GeometryResources resources;
    private final int[] ranks;
    private final Window window;
    private final long key;

    /** Offered to other processes, which keeps no reference to it. */
    private final LongSupplier offered = this::count;

    private final AtomicBuffer answers;
    private final long answersOffset;
    private final long[] known;
    private AtomicBuffer own;
    private Target[] pairs = {};
    private volatile long count;
    private boolean areComparable = true;
    private boolean closed;

    /** Counts the bytes that are still to be read. Null until it is needed. */
    private @Nullable InjectionCounter arrived;

    /**
     * Uses two parts of the agreement's window.
     *
     * @param pair of the agreement, by which other members ask for the number of this one
     * @param numberOffset of the word
     * @param answersOffset of a word for each member, into which its number is read
     */
    StartedRounds(
            GeometryResources resources,
            int[] ranks,
            Window window,
            CounterPair pair,
            long numberOffset,
            long answersOffset) {
        this.resources = resources;
        this.ranks = ranks;
        this.window = window;
        this.key = key(pair.id(), pair.incarnation());
        this.own = window.buffer(numberOffset, Long.BYTES);
        this.answersOffset = answersOffset;
        this.answers = window.buffer(answersOffset, ranks.length * Long.BYTES);
        this.known = new long[ranks.length];
        own.putLongRelease(0, 0);
        inquiries().offer(key, offered);
    }

    private static long key(int pair, int incarnation) {
        return (long) pair << Integer.SIZE | Integer.toUnsignedLong(incarnation);
    }

    private static long key(Target pair) {
        return key(pair.counter(), pair.incarnation());
    }

    private Inquiries inquiries() {
        return ContextAccess.inquiries(resources.client());
    }

    /** Sets the agreements' pairs of the other members. */
    void connect(Target[] others) {
        pairs = others;
    }

    /** Counts a round that this member starts. Returns its number. */
    long next() {
        final long number = count + 1;
        COUNT.lazySet(this, number);
        own.putLongRelease(0, number);
        return number;
    }

    /** Returns the number of the last one. */
    long count() {
        return count;
    }

    /** Records that a round has failed: from now on, members may refuse to start rounds that others have started. */
    void fail() {
        areComparable = false;
    }

    /**
     * Returns true if all members start the same rounds between two agreements. Posted work, such as a handler of
     * rounds, may start some earlier or later.
     */
    boolean areComparable() {
        return areComparable && Arrays.stream(resources.contexts()).noneMatch(ContextAccess::hasPosted);
    }

    /** Returns the number of rounds that a member has started, as the last question found it, or {@link #NO_ANSWER}. */
    long of(int member) {
        return known[member];
    }

    /**
     * Asks for the numbers of other members that have neither died nor left. Those on this host are not asked if no
     * injection counter is free, this geometry or its node was closed, or the engine has not yet carried out what the
     * last call has injected; those on other hosts, while their rank has not answered the last question of this one.
     *
     * @param beside members on this host, itself included, in ascending order
     */
    void ask(int[] beside, int self) {
        Arrays.fill(known, NO_ANSWER);
        if (closed) {
            return;
        }
        final long limitNs = Deadline.in(ANSWER_MS, TimeUnit.MILLISECONDS);
        final int[] elsewhere = elsewhere(beside);
        final Inquiries.@Nullable Request[] requests = new Inquiries.Request[ranks.length];
        for (final int member : elsewhere) {
            requests[member] = request(member);
        }
        if (askBeside(beside, self, limitNs)) {
            for (final int member : beside) {
                known[member] = answers.getLongAcquire(member * Long.BYTES);
            }
        }
        for (final int member : elsewhere) {
            known[member] = answer(member, requests[member], limitNs);
        }
    }

    /** Returns the members on other hosts that have neither died nor left. */
    private int[] elsewhere(int[] beside) {
        final Context context = resources.context();
        return IntStream.range(0, pairs.length)
                .filter(member -> Arrays.binarySearch(beside, member) < 0 && context.failure(ranks[member]) == null)
                .toArray();
    }

    /** Requests the number of a member. Returns null while its rank has not answered the last request. */
    private Inquiries.@Nullable Request request(int member) {
        return inquiries().request(ranks[member], key(pairs[member]));
    }

    /** Waits for the reply to a request, and before for one that could not be made yet. */
    private long answer(int member, Inquiries.@Nullable Request made, long limitNs) {
        final Inquiries.@Nullable Request[] request = {made};
        try {
            resources
                    .context()
                    .await(
                            () -> {
                                request[0] = request[0] == null ? request(member) : request[0];
                                return request[0] != null && request[0].hasReply();
                            },
                            limitNs);
            return request[0] == null ? NO_ANSWER : request[0].reply();
        } catch (final SegnoException | IllegalStateException e) {
            // It is stopped, or this node was closed.
            return NO_ANSWER;
        }
    }

    private boolean askBeside(int[] beside, int self, long limitNs) {
        final Context context = resources.context();
        try {
            final InjectionCounter counter =
                    arrived == null ? resources.client().injectionCounter() : arrived;
            arrived = counter;
            if (counter.valueAcquire() > 0) {
                return false;
            }
            for (final int member : beside) {
                answers.putLong(member * Long.BYTES, NO_ANSWER);
                if (member != self && context.failure(ranks[member]) == null && isAsked(context, member, counter)) {
                    counter.expect(Long.BYTES);
                }
            }
            context.await(counter, limitNs);
            return true;
        } catch (final DeadlineException e) {
            // Some numbers may have been read.
            return true;
        } catch (final RefusedException e) {
            // A member has closed the geometry. What was refused is never counted down.
            forget();
            return true;
        } catch (final SegnoException | IllegalStateException e) {
            return false;
        }
    }

    private boolean isAsked(Context context, int member, InjectionCounter counter) {
        final long offset = (long) ranks.length * Proposal.LENGTH;
        final long answerAt = answersOffset + (long) member * Long.BYTES;
        return context.get(pairs[member].ofRound(0), offset, window, answerAt, Long.BYTES, counter) >= 0;
    }

    private void forget() {
        final InjectionCounter counter = arrived;
        if (counter != null) {
            arrived = null;
            resources.client().close(counter);
        }
    }

    /** Uses the window no more. Rounds may still be counted. */
    void close() {
        closed = true;
        inquiries().withdraw(key);
        own = new UnsafeBuffer(new byte[Long.BYTES]);
        forget();
    }
}
