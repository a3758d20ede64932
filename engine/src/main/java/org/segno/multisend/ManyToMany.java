package org.segno.multisend;

import java.util.Objects;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.segno.context.Client;
import org.segno.context.Context;
import org.segno.context.ContextAccess;
import org.segno.memory.CounterPair;
import org.segno.memory.Target;
import org.segno.memory.Window;
import org.segno.pattern.Rounds;
import org.segno.status.ClosedException;
import org.segno.status.DeadlineException;
import org.segno.status.SegnoException;
import org.segno.status.Status;

/**
 * An exchange of different pieces with many ranks, for example of a halo, or for the transpose of a matrix. All
 * participants open it with the same connection id, which distinguishes it from other exchanges, and then start it
 * round after round. Rounds land alternately in two locations, so a rank may be one round ahead of its neighbours. A
 * rank must also receive from every rank that it sends to, if only a piece of no bytes: this keeps the rounds apart.
 *
 * <p>Each round is one call. Its operations are recorded when they are first sent, and later rounds replay them by one
 * entry in a ring. The source window belongs to the engine from {@link #start} until {@link #isComplete}. A job may
 * open the same exchanges as an earlier job and then load its patterns, {@link org.segno.saved.SavedPatterns}. It then
 * replays them from the first round on. Such a pattern belongs to its exchange: if the application replays it itself,
 * the exchange can no longer start. Used by the one thread that holds the context.
 */
public final class ManyToMany implements AutoCloseable {
    private final Context context;
    private final Client client;
    private final String name;
    private final Pieces sent;
    private final Window source;
    private final CounterPair incoming;
    private @Nullable LandingPlan plan;
    private final int[] order;
    private final long expected;
    private final Target[] pairs;
    private final long[] landing;
    private final RecordedMultisend repeated;
    private final PeerSet peers;
    private final RoundCompletion completion;
    private boolean closed;
    private long round;

    /**
     * The locations of received pieces.
     *
     * @param window holds both locations
     * @param evenOffset where pieces of even rounds land
     * @param oddOffset where pieces of odd rounds land
     * @param length bytes of each location
     */
    public record Places(Window window, long evenOffset, long oddOffset, long length) {
        public Places {
            Objects.requireNonNull(window, "window");
        }
    }

    /**
     * A rank's arguments to an exchange.
     *
     * @param source window that holds the pieces sent
     * @param sent the pieces sent
     * @param places the locations of the pieces received
     * @param received the pieces received; offsets are relative to the start of either location
     */
    public record Sides(Window source, Pieces sent, Places places, Pieces received) {
        public Sides {
            Objects.requireNonNull(source, "source");
            Objects.requireNonNull(sent, "sent");
            Objects.requireNonNull(places, "places");
            Objects.requireNonNull(received, "received");
            sent.requireWithin(source);
            received.requireWithin(places.length());
            sent.requireReceivedFrom(received);
        }
    }

    private ManyToMany(Client client, Context context, int connection, Sides sides) {
        this.client = client;
        this.context = context;
        this.name = "many-to-many." + connection;
        this.sent = sides.sent();
        this.source = sides.source();
        // Checked before resources are allocated, because a piece may name a rank that does not exist.
        sent.requireRanks("go to", context.ranks());
        sides.received().requireRanks("come from", context.ranks());
        this.order = sent.inTurn(context.rank(), context.ranks());
        this.peers = new PeerSet(context, sides.received().named());
        this.expected = sides.received().bytes() + sides.received().empty();
        final Places places = sides.places();
        this.incoming = client.counterPair(places.window(), places.evenOffset(), places.oddOffset(), places.length());
        this.landing = new long[sent.count()];
        this.pairs = new Target[sent.count()];
        this.repeated = new RecordedMultisend(context, Rounds.ALTERNATE, this::record);
        this.completion = new RoundCompletion(context, repeated, peers, this);
    }

    private void attach(Pieces received, long deadlineNs) {
        client.publish(name, incoming);
        final LandingPlan published = new LandingPlan(client, name + LandingPlan.SUFFIX, context.ranks(), received);
        plan = published;
        try (ExchangeSetup setup = new ExchangeSetup(client, context, name, sent, deadlineNs)) {
            setup.meet(published);
            for (int piece = 0; piece < pairs.length; piece++) {
                landing[piece] = setup.landing()[piece];
                pairs[piece] = setup.pairs()[piece];
            }
        }
    }

    /**
     * Opens the exchange together with all ranks of the pieces. The call waits until the others have opened theirs and
     * have read this rank's landing offsets, so that it may be closed at once. It allocates three reception counters
     * and 16 bytes of the client's window memory for each rank and piece. While it opens, it also needs an injection
     * counter and a copy of the offsets.
     *
     * <p>A closed exchange can be opened again at once, with the same connection and without a barrier: the next
     * opening waits until the others have closed theirs, too. If opening ends with an exception at one rank, the others
     * must close theirs before all open again.
     *
     * @param connection the same at all participants, and not in use by another open exchange of them. A stream of
     *     pieces is identified by its sender, its receiver and this id; the application assigns the ids
     * @throws IllegalArgumentException if the rank of a piece does not exist in the job
     * @throws IllegalStateException if two sides disagree about their pieces; the message describes the difference
     * @throws org.segno.status.PeerFailedException if a participant has died
     * @throws DeadlineException at the deadline
     */
    public static ManyToMany open(Client client, Context context, int connection, Sides sides, long deadlineNs) {
        Objects.requireNonNull(client, "client");
        Objects.requireNonNull(context, "context");
        Objects.requireNonNull(sides, "sides");
        final ManyToMany opened = new ManyToMany(client, context, connection, sides);
        boolean attached = false;
        try {
            opened.attach(sides.received(), deadlineNs);
            attached = true;
        } finally {
            if (!attached) {
                opened.releaseResources();
            }
        }
        return opened;
    }

    /**
     * Starts the next round. Never blocks.
     *
     * @return its number, from 1; {@link Status#BUSY} while the last one is not complete, or its call-back has not run;
     *     {@link Status#BACK_PRESSURED} while there is no room: advance then
     * @throws IllegalStateException if it cannot be recorded, or in a handler; the message gives the reason
     * @throws org.segno.status.PeerFailedException if a participant is known to have died; this takes precedence over
     *     BUSY, because the last round will then never be complete
     * @throws ClosedException if a participant has left. It may leave once its last round is complete,
     *     and the others complete that round, too
     */
    public long start() {
        if (isBusy() || completion.isDue()) {
            return Status.BUSY;
        }
        // The last round is complete. A rank that has left has sent its pieces of it, and sends none of the next.
        peers.requirePresent(this);
        if (!completion.isReady()) {
            return Status.BACK_PRESSURED;
        }
        final long status = repeated.replay(round + 1);
        if (Status.isProgress(status)) {
            round = status;
            completion.started();
        }
        return status;
    }

    private boolean isBusy() {
        final boolean complete = isComplete();
        peers.requireAlive(this);
        return !complete;
    }

    private void record() {
        // Nothing is armed: an ARM would be an atomic add to a line that the other ranks count down at the same time.
        ContextAccess.expectUnarmed(context, incoming, expected);
        for (final int piece : order) {
            inject(pairs[piece], piece);
        }
    }

    private void inject(Target target, int piece) {
        final long length = sent.length(piece);
        if (length == 0) {
            context.count(target, -1);
        } else {
            context.put(target, landing[piece], source, sent.offset(piece), length);
        }
    }

    /** Returns the round that was started last, or 0. */
    public long round() {
        return round;
    }

    /**
     * Returns the offset in the target window at which the pieces of a round land. They remain there until the next
     * round but one is started.
     */
    public long landingOffset(long ofRound) {
        return incoming.offset(ofRound);
    }

    /** Returns true when the round that was started last is sent and its pieces have arrived. */
    public boolean isComplete() {
        if (closed) {
            throw new IllegalStateException(this + " is closed: open it again, together with the other ranks");
        }
        return repeated.isComplete();
    }

    /**
     * Sets a call-back that runs once for each later round, within the {@code advance} after the round is sent and its
     * pieces have arrived. It receives null, or the failure: a refusal or the death of a rank. It may start the next
     * round, but not advance or wait. Null removes it, also for a round in progress.
     */
    public void onComplete(@Nullable Consumer<@Nullable SegnoException> callback) {
        completion.set(callback);
    }

    /**
     * Waits until {@link #isComplete}, and runs the call-back of the round if it has not run; throws as the waits of a
     * context do.
     */
    public void await(long deadlineNs) {
        repeated.await(round, deadlineNs);
        completion.report();
    }

    /**
     * Closes the exchange. A round in progress still ends here and at the other ranks, as far as they take part; then
     * the counters of the exchange are freed, and its connection can be used again at once. If that round can never
     * complete, because a rank has died or takes no part in it, its counters are not freed. After the client or the
     * node it has no effect. Idempotent.
     *
     * <p>The call-back of a complete round runs now, if it has not run; that of a round in progress within a later
     * {@code advance}.
     */
    @Override
    public void close() {
        if (closed) {
            return;
        }
        if (isComplete()) {
            // Later its counters are closed. It may start another round.
            completion.report();
        }
        final boolean finished = isComplete();
        closed = true;
        repeated.forget();
        try {
            releasePlan();
            if (finished) {
                client.close(incoming);
            } else {
                ContextAccess.closeAfter(client, incoming, round, expected);
            }
        } catch (final ClosedException e) {
            // The client or its node was closed, and with it everything that it had opened.
            assert closed : e;
        }
    }

    private void releaseResources() {
        client.close(incoming);
        releasePlan();
    }

    private void releasePlan() {
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
