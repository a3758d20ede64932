package org.segno.multisend;

import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.segno.context.Client;
import org.segno.context.Context;
import org.segno.counter.InjectionCounter;
import org.segno.memory.Window;
import org.segno.operation.Target;
import org.segno.status.Deadline;
import org.segno.status.DeadlineException;
import org.segno.status.PeerFailedException;
import org.segno.status.RefusedException;
import org.segno.status.SegnoException;
import org.segno.status.Status;

/**
 * How those who exchange pieces find each other: a rank reads of each whom it sends to where its pieces land, and then tells it so.
 *
 * <p>Nobody's opening ends before all have read its {@link LandingPlan}: closed at once, it has held up nobody. And a plan that this rank
 * has told its owner of is one of an opening that is over here: its owner is about to close that, and this rank waits for its next one.
 * So openings under one connection are kept apart without a number that all would have to agree on. What a rank gives up before it has
 * opened is closed, and whoever has read that reads again.
 */
final class Opening implements AutoCloseable {
    /** How often waits look whether a rank has begun again. */
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

    /** Of the exchange {@code name}; everything ends at the deadline. */
    Opening(Client client, Context context, String name, Pieces sent, long deadlineNs) {
        this.client = client;
        this.context = context;
        this.name = name;
        this.sent = sent;
        this.deadlineNs = deadlineNs;
        this.copy = client.window(LandingPlan.ENTRY_LENGTH * Math.max(1L, sent.count()));
        this.here = client.injectionCounter();
        this.pairs = new Target[sent.count()];
        this.landing = new long[sent.count()];
    }

    /** Where each piece goes. */
    Target[] pairs() {
        return pairs;
    }

    /** The landing offset of each piece. */
    long[] landing() {
        return landing;
    }

    /**
     * Finds all whom pieces go to, and waits until all whom they come from have found this rank, which shows them {@code own}. They hear
     * of it when all are found: a rank that gives up before has told nobody, and may begin again.
     *
     * @throws IllegalStateException if a receiver expects other pieces; names it and says what
     */
    void meet(LandingPlan own) {
        final int[] ranks = sent.named();
        final Target[] plans = new Target[ranks.length];
        for (int i = 0; i < ranks.length; i++) {
            plans[i] = read(ranks[i], null);
        }
        for (int i = 0; i < ranks.length; i++) {
            plans[i] = tell(plans[i]);
        }
        while (!own.awaitReaders(context, sliceNs())) {
            if (Deadline.reached(deadlineNs)) {
                throw own.late();
            }
            for (int i = 0; i < ranks.length; i++) {
                if (!own.hasRead(ranks[i]) && hasBegunAgain(plans[i], own)) {
                    plans[i] = tell(read(ranks[i], plans[i]));
                }
            }
        }
        own.withdraw();
    }

    /**
     * Who has not read this rank's plan has not opened: another one of it is a new beginning. Whether it has read is looked at last: it may
     * have opened, closed and gone on to its next opening meanwhile, which is not this rank's yet.
     */
    private boolean hasBegunAgain(Target plan, LandingPlan own) {
        final int rank = plan.rank();
        try {
            return !context.attach(rank, name + LandingPlan.SUFFIX, sliceNs()).equals(plan) && !own.hasRead(rank);
        } catch (final DeadlineException e) {
            // It has none just now: it has opened, or will begin again.
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

    /** Reads the plan of a rank, another one than {@code over}. */
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
                    + "\" again: what it has open is of an opening that this rank has closed, or it has just given one up;"
                    + " all close and open it in the same order");
        }
        try {
            context.await(() -> false, sliceNs());
        } catch (final DeadlineException | PeerFailedException e) {
            // Time to look again: at this rank, not at any that has died.
            Thread.onSpinWait();
        }
    }

    /** False if the plan was read before, or is closed. */
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
        // It was published before the plan, and both stay until this rank has told.
        final Target pair = context.attach(rank, name, deadlineNs);
        for (final int piece : pieces) {
            pairs[piece] = pair;
        }
        return true;
    }

    /** Tells a rank that its plan was read; where it has given that up, of the one that it has begun with anew. Answers the plan. */
    private Target tell(Target plan) {
        Target told = plan;
        while (!isTold(told)) {
            told = read(told.rank(), told);
        }
        return told;
    }

    private boolean isTold(Target plan) {
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

    /** One that has heard of a refusal says so for ever. */
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
