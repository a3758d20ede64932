package org.segno.multisend;

import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;
import org.segno.context.Client;
import org.segno.context.Context;
import org.segno.counter.CounterPair;
import org.segno.counter.InjectionCounter;
import org.segno.memory.Window;
import org.segno.operation.Target;
import org.segno.pattern.Rounds;
import org.segno.status.Deadline;
import org.segno.status.DeadlineException;
import org.segno.status.Status;

/**
 * A different piece to each of many ranks, and one from each: the exchange of a halo, the transpose of a matrix. All ranks that take part
 * open it under the same connection id, which tells it from others, and then start it round after round; each round lands in one of two
 * places in turn, so that a rank may be a round ahead of its neighbours. Whom a rank sends to it hears from as well, if only a piece of
 * no bytes: that is what keeps rounds apart.
 *
 * <p>A round is one call, and what it sends is recorded when it is first sent and replayed from then on, by one entry in a ring. The source
 * window belongs to the engine from {@link #start} until {@link #isComplete}. A job that opens the same as the one before and then loads
 * its patterns, {@link org.segno.saved.SavedPatterns}, replays those from the first round on. One thread, the one that holds the context.
 */
public final class ManyToMany implements AutoCloseable {
    private final Context context;
    private final Client client;
    private final String name;
    private final Pieces sent;
    private final Window source;
    private final CounterPair incoming;
    private final InjectionCounter outgoing;
    private @Nullable LandingPlan plan;
    private final int[] order;
    private final long expected;
    private final Target[] pairs;
    private final Target[][] targets;
    private final long[] landing;
    private final Repeated repeated;
    private final Partners partners;
    private final Runnable injectAll = this::injectAll;
    private final BooleanSupplier complete = this::isComplete;
    private boolean replays = true;
    private boolean closed;
    private long round;

    /**
     * Where pieces land.
     *
     * @param window holds both places
     * @param evenOffset where those of even rounds land
     * @param oddOffset where those of odd rounds land
     * @param length bytes of each place
     */
    public record Places(Window window, long evenOffset, long oddOffset, long length) {}

    /**
     * What a rank brings to an exchange.
     *
     * @param source where the pieces lie that it sends
     * @param sent what it sends
     * @param places where the pieces land that it receives
     * @param received what it receives; offsets from the beginning of either place
     */
    public record Sides(Window source, Pieces sent, Places places, Pieces received) {
        public Sides {
            sent.requireWithin(source);
            received.requireWithin(places.length());
            sent.requireHeardFrom(received);
        }
    }

    private ManyToMany(Client client, Context context, int connection, Sides sides) {
        this.client = client;
        this.context = context;
        this.name = "many-to-many." + connection;
        this.sent = sides.sent();
        this.source = sides.source();
        // Before anything is taken: it finds ranks that there are not.
        sent.requireRanks("go to", context.ranks());
        sides.received().requireRanks("come from", context.ranks());
        this.order = sent.inTurn(context.rank(), context.ranks());
        this.partners = new Partners(context, sides.received().named());
        this.expected = sides.received().bytes() + sides.received().empty();
        final Places places = sides.places();
        this.incoming = client.counterPair(places.window(), places.evenOffset(), places.oddOffset(), places.length());
        this.outgoing = client.injectionCounter();
        this.landing = new long[sent.count()];
        this.pairs = new Target[sent.count()];
        this.targets = new Target[2][sent.count()];
        this.repeated = new Repeated(context, Rounds.ALTERNATE, this::record);
    }

    private void attach(Pieces received, long deadlineNs) {
        client.publish(name, incoming);
        final LandingPlan published = new LandingPlan(client, name + LandingPlan.SUFFIX, context.ranks(), received);
        plan = published;
        try (Opening opening = new Opening(client, context, name, sent, deadlineNs)) {
            opening.meet(published);
            for (int piece = 0; piece < pairs.length; piece++) {
                landing[piece] = opening.landing()[piece];
                pairs[piece] = opening.pairs()[piece];
                targets[0][piece] = pairs[piece].ofRound(0);
                targets[1][piece] = pairs[piece].ofRound(1);
            }
        }
    }

    /**
     * Opens the exchange together with all ranks that are sent to: each waits until they have opened theirs and have read this one's
     * landing offsets, so that it may be closed at once. Takes 16 bytes of the client's window memory for each rank and piece, more
     * while it opens, and three reception counters and an injection counter.
     *
     * <p>What is closed here can be opened again at once, under the same connection and without a barrier: the next opening waits until
     * the others have closed theirs too. Where it ends with an exception at one rank, the others close theirs before all open again.
     *
     * @param connection the same at all that take part, and no other open exchange's
     * @throws IllegalArgumentException if a rank of a piece is none of the job's
     * @throws IllegalStateException if two sides disagree about their pieces; says how
     * @throws org.segno.status.PeerFailedException if a rank that takes part has died
     * @throws DeadlineException at the deadline
     */
    public static ManyToMany open(Client client, Context context, int connection, Sides sides, long deadlineNs) {
        final ManyToMany opened = new ManyToMany(client, context, connection, sides);
        boolean attached = false;
        try {
            opened.attach(sides.received(), deadlineNs);
            attached = true;
        } finally {
            if (!attached) {
                opened.giveBack();
            }
        }
        return opened;
    }

    /** False has every start inject its pieces, with one store of the tail; true, as it is at first, replay what was recorded. */
    public ManyToMany replaying(boolean wanted) {
        replays = wanted;
        return this;
    }

    /**
     * Starts the next round. Never blocks.
     *
     * @return its number, from 1; {@link Status#BUSY} while the last one is not complete, {@link Status#BACK_PRESSURED} while there is no
     *     room: advance then
     * @throws IllegalStateException if it cannot be recorded, or in a handler: says why
     * @throws IllegalArgumentException if it has more pieces than the FIFO slots, and is not replayed
     * @throws org.segno.status.PeerFailedException if a rank that takes part has died, once that is known: also where the last round,
     *     which will never be complete then, would make it BUSY
     */
    public long start() {
        if (isBusy()) {
            return Status.BUSY;
        }
        if (replays) {
            final long answer = repeated.replay(round + 1);
            round = Status.isProgress(answer) ? answer : round;
            return answer;
        }
        requireStartable();
        return context.together(order.length, injectAll) < 0 ? Status.BACK_PRESSURED : round;
    }

    /**
     * As {@link #start}, every piece injected by itself, as an application without multisend would: advances while the FIFO is full. For
     * comparison.
     *
     * @throws DeadlineException at the deadline, some pieces sent and others not: the exchange is of no more use then
     * @throws org.segno.status.PeerFailedException as {@link #start}
     */
    public long startSingly(long deadlineNs) {
        if (isBusy()) {
            return Status.BUSY;
        }
        requireStartable();
        round++;
        expect();
        for (final int piece : order) {
            while (inject(targets[(int) round & 1][piece], piece, outgoing) < 0) {
                context.advance();
                if (Deadline.reached(deadlineNs)) {
                    throw new DeadlineException("the deadline passed while the FIFO had no room for " + this);
                }
            }
        }
        return round;
    }

    private boolean isBusy() {
        final boolean complete = isComplete();
        partners.requireAlive(this);
        return !complete;
    }

    private void requireStartable() {
        if (context.isInHandler()) {
            throw new IllegalStateException(
                    "a handler cannot start " + this + ": start it after advance has returned, or in posted work");
        }
        if (context.isRecording()) {
            throw new IllegalStateException(
                    "a round of " + this + " cannot be replayed: its next one lands elsewhere, and"
                            + " it records itself; start it outside record");
        }
    }

    private void expect() {
        context.expect(incoming.counter(round), expected);
        context.expect(outgoing, sent.bytes());
    }

    /** There is room for all: what may be wrong is found at the first piece, before the round counts. */
    private void injectAll() {
        final long next = round + 1;
        for (final int piece : order) {
            inject(targets[(int) next & 1][piece], piece, outgoing);
        }
        round = next;
        expect();
    }

    private void record() {
        context.expect(incoming, expected);
        for (final int piece : order) {
            inject(pairs[piece], piece, null);
        }
    }

    private long inject(Target target, int piece, @Nullable InjectionCounter read) {
        final long length = sent.length(piece);
        return length == 0
                ? context.count(target, -1)
                : context.put(target, landing[piece], source, sent.offset(piece), length, read);
    }

    /** The round that was started last, or 0. */
    public long round() {
        return round;
    }

    /** Offset in the target window of the place where the pieces of a round land; until the next but one is started. */
    public long landingOffset(long ofRound) {
        return incoming.offset(ofRound);
    }

    /** True when the round that was started last is sent and has come. */
    public boolean isComplete() {
        if (closed) {
            throw new IllegalStateException(this + " is closed: open it anew, together with the others");
        }
        return repeated.isComplete() && incoming.counter(round).valueAcquire() <= 0 && outgoing.valueAcquire() <= 0;
    }

    /** Waits until {@link #isComplete}; throws as the waits of a context do. */
    public void await(long deadlineNs) {
        if (repeated.hasReplayed(round)) {
            repeated.await(round, deadlineNs);
            return;
        }
        context.await(outgoing, deadlineNs);
        if (incoming.counter(round).isArmed()) {
            context.await(complete, deadlineNs);
        } else {
            context.await(incoming.counter(round), deadlineNs);
        }
    }

    /** Ends it, once its last round is complete; one that never will be, as a rank has died, keeps its counters and its connection. May be called twice. */
    @Override
    public void close() {
        if (closed) {
            return;
        }
        final boolean finished = isComplete();
        closed = true;
        repeated.forget();
        if (finished) {
            giveBack();
        }
    }

    private void giveBack() {
        client.close(incoming);
        client.close(outgoing);
        final LandingPlan published = plan;
        if (published != null) {
            published.close();
        }
    }

    @Override
    public String toString() {
        return name + " of " + sent.count() + " pieces and " + sent.bytes() + " bytes a round, round " + round;
    }
}
