package org.segno.multisend;

import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.segno.context.Client;
import org.segno.context.Context;
import org.segno.memory.InjectionCounter;
import org.segno.memory.Target;
import org.segno.memory.Window;
import org.segno.status.Deadline;
import org.segno.status.DeadlineException;
import org.segno.status.PeerFailedException;
import org.segno.status.RefusedException;
import org.segno.status.SegnoException;
import org.segno.status.Status;

/**
 * Discovery among the participants of an exchange. A rank reads from each of its receivers where its pieces land, and
 * then confirms that it has read.
 *
 * <p>No opening ends before all senders have read its {@link LandingPlan}, so closing it at once delays no other rank.
 * A plan that this rank has already confirmed belongs to an earlier opening: its owner is about to close it, and this
 * rank waits for the next one. Openings with the same connection are thus kept apart without a number that all ranks
 * would have to agree on. An opening that a rank abandons is closed, and its readers read the next plan.
 */
final class ExchangeSetup implements AutoCloseable {
    /** Interval at which waits check whether a rank has opened again, in milliseconds. */
    private static final long SLICE_MS = 1;

    private final Client client;
    private final Context context;
    private final String name;
    private final Pieces sent;
    private final long deadlineNs;
    private final Window copy;
    private final Target[] pairs;
    private final long[] landing;
    private InjectionCounter here;

    /** Creates the opening of the exchange {@code name}. All waits end at the deadline. */
    ExchangeSetup(Client client, Context context, String name, Pieces sent, long deadlineNs) {
        this.client = client;
        this.context = context;
        this.name = name;
        this.sent = sent;
        this.deadlineNs = deadlineNs;
        this.here = client.injectionCounter();
        this.copy = copy(LandingPlan.ENTRY_LENGTH * Math.max(1L, sent.count()));
        this.pairs = new Target[sent.count()];
        this.landing = new long[sent.count()];
    }

    private Window copy(long bytes) {
        try {
            return client.window(bytes);
        } catch (final RuntimeException e) {
            client.close(here);
            throw e;
        }
    }

    /** Returns the target of each piece. */
    Target[] pairs() {
        return pairs;
    }

    /** Returns the landing offset of each piece. */
    long[] landing() {
        return landing;
    }

    /**
     * Finds all receivers, and waits until all senders have read {@code own}, the plan of this rank. Receivers get
     * their confirmations only when all of them are found. A rank that fails before that has confirmed nothing, and may
     * open again.
     *
     * @throws IllegalStateException if a receiver expects other pieces; the message names it and the difference
     */
    void meet(LandingPlan own) {
        final int[] ranks = sent.named();
        final Target[] plans = new Target[ranks.length];
        for (int i = 0; i < ranks.length; i++) {
            plans[i] = read(ranks[i], null);
        }
        for (int i = 0; i < ranks.length; i++) {
            plans[i] = confirm(plans[i]);
        }
        while (!own.awaitReaders(context, sliceNs())) {
            if (Deadline.reached(deadlineNs)) {
                throw own.late();
            }
            for (int i = 0; i < ranks.length; i++) {
                if (!own.hasRead(ranks[i]) && hasBegunAgain(plans[i], own)) {
                    plans[i] = confirm(read(ranks[i], plans[i]));
                }
            }
        }
        own.withdraw();
    }

    /**
     * Returns true if a rank has abandoned its opening and started a new one. A rank that has not read the plan of this
     * rank cannot have finished opening, so a different plan of it is a new attempt. Whether it has read is checked
     * last: it may have opened, closed and started its next opening meanwhile, which does not concern this one.
     */
    private boolean hasBegunAgain(Target plan, LandingPlan own) {
        final int rank = plan.rank();
        try {
            return !context.attach(rank, name + LandingPlan.SUFFIX, sliceNs()).equals(plan) && !own.hasRead(rank);
        } catch (final DeadlineException e) {
            // The rank has no plan at the moment: it has opened, or will try again.
            return false;
        }
    }

    private long sliceNs() {
        final long sliceNs = Deadline.in(SLICE_MS, TimeUnit.MILLISECONDS);
        return deadlineNs - sliceNs < 0 ? deadlineNs : sliceNs;
    }

    private Target attach(int rank) {
        return context.attach(rank, name + LandingPlan.SUFFIX, deadlineNs);
    }

    /** Reads the plan of a rank, other than {@code over}. */
    private Target read(int rank, @Nullable Target over) {
        Target known = over;
        while (true) {
            final Target plan = attach(rank);
            if (!plan.equals(known) && read(plan)) {
                return plan;
            }
            known = plan;
            awaitAnother(rank);
        }
    }

    private void awaitAnother(int rank) {
        final SegnoException failure = context.failure(rank);
        if (failure != null) {
            throw failure;
        }
        if (Deadline.reached(deadlineNs)) {
            throw new DeadlineException("the deadline passed while rank " + rank + " had not opened \"" + name
                    + "\" again: it belongs to an opening that this rank has closed, or was just abandoned;"
                    + " all ranks must close and open exchanges in the same order");
        }
        try {
            context.await(() -> false, sliceNs());
        } catch (final DeadlineException | PeerFailedException e) {
            // The interval has passed; the failure of another rank is irrelevant here.
            Thread.onSpinWait();
        }
    }

    /** Reads a plan; returns false if it was read before, or is closed. */
    private boolean read(Target plan) {
        try {
            return readOpen(plan);
        } catch (final RefusedException e) {
            renew();
            return false;
        }
    }

    private boolean readOpen(Target plan) {
        final int rank = plan.rank();
        get(plan, (long) context.rank() * LandingPlan.ENTRY_LENGTH, LandingPlan.ENTRY_LENGTH);
        final long first = context.ranks() + copy.buffer().getLong(0);
        final long count = copy.buffer().getLong(Long.BYTES);
        if (count == LandingPlan.READ) {
            return false;
        }
        final int[] pieces = sent.of(rank);
        if (count != pieces.length) {
            throw new IllegalStateException("rank " + rank + " receives " + count + " pieces of " + name + " from rank "
                    + context.rank() + ", which sends it " + pieces.length);
        }
        get(plan, first * LandingPlan.ENTRY_LENGTH, count * LandingPlan.ENTRY_LENGTH);
        for (int i = 0; i < pieces.length; i++) {
            landing[pieces[i]] = copy.buffer().getLong(i * LandingPlan.ENTRY_LENGTH);
            final long length = copy.buffer().getLong(i * LandingPlan.ENTRY_LENGTH + Long.BYTES);
            if (length != sent.length(pieces[i])) {
                throw new IllegalStateException("piece " + i + " of " + name + " from rank " + context.rank()
                        + " to rank " + rank + " has " + length + " bytes there and " + sent.length(pieces[i])
                        + " here");
            }
        }
        // The pair was published before the plan, and both remain until this rank confirms.
        final Target pair = context.attach(rank, name, deadlineNs);
        for (final int piece : pieces) {
            pairs[piece] = pair;
        }
        return true;
    }

    /**
     * Confirms to a rank that its plan was read, and returns the plan. If the rank has abandoned it, reads and confirms
     * the next one.
     */
    private Target confirm(Target plan) {
        Target found = plan;
        while (!isConfirmed(found)) {
            found = read(found.rank(), found);
        }
        return found;
    }

    private boolean isConfirmed(Target plan) {
        copy.buffer().putLong(0, LandingPlan.READ);
        final long offset = (long) context.rank() * LandingPlan.ENTRY_LENGTH + Long.BYTES;
        here.expect(Long.BYTES);
        try {
            while (context.put(plan, offset, copy, 0, Long.BYTES, here) == Status.BACK_PRESSURED) {
                awaitRoom();
            }
            context.await(here, deadlineNs);
            return true;
        } catch (final RefusedException e) {
            renew();
            return false;
        }
    }

    private void get(Target plan, long offset, long length) {
        here.expect(length);
        while (context.get(plan, offset, copy, 0, length, here) == Status.BACK_PRESSURED) {
            awaitRoom();
        }
        context.await(here, deadlineNs);
    }

    private void awaitRoom() {
        context.await(() -> context.fifo().hasRoom(), deadlineNs);
    }

    /** Replaces the injection counter, because a counter with a refusal reports it forever. */
    private void renew() {
        client.close(here);
        here = client.injectionCounter();
    }

    @Override
    public void close() {
        client.close(here);
        client.close(copy);
    }
}
