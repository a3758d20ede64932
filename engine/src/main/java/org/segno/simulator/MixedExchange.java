package org.segno.simulator;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;
import org.segno.context.Context;
import org.segno.memory.CounterPair;
import org.segno.memory.InjectionCounter;
import org.segno.memory.Target;
import org.segno.pattern.Pattern;
import org.segno.pattern.Rounds;
import org.segno.status.Deadline;
import org.segno.status.SegnoException;

/**
 * The exchange of two ranks with each other and with themselves in the mixed workload, round after round: a pattern
 * whose sources, targets and results alternate, which waits for what it expects and copies it. A round is queued while
 * the one before it is in progress. Both ranks make the same number of rounds, so that neither waits for ever.
 */
final class MixedExchange implements MixedPart {
    private static final String NAME = "exchange";

    /** Pattern id of an exchange that records its first round. */
    private static final int ID = 1;

    private final MixedParts parts;
    private final int rank;
    private final int piece;
    private long rounds;

    /** The two ranks, or the only one. */
    private final int[] partners;

    private final CounterPair incoming;
    private final CounterPair sources;
    private final CounterPair results;
    private final List<Target> targets = new ArrayList<>();
    private final boolean isRecorded;

    /** Number of rounds that were not made, because the first generation is greater than 1. */
    private final long leap;

    private @Nullable Pattern pattern;
    private long started;
    private long checked;
    private boolean isLost;

    /** Creates an exchange of some rounds, the first of which has a generation that is {@code leap} greater than 1. */
    MixedExchange(MixedParts parts, long rounds, long leap) {
        this.parts = parts;
        this.rank = parts.rank();
        this.piece = parts.atMost(MixedLayout.PIECE_BYTES);
        this.rounds = rounds;
        this.leap = leap;
        this.partners = (rank ^ 1) < parts.layout().nodes() ? new int[] {rank & -2, rank | 1} : new int[] {rank};
        this.incoming = pair(0);
        this.sources = pair(1);
        this.results = pair(2);
        this.isRecorded = parts.random().nextBoolean() && leap == 0;
        parts.node().client().publish(NAME, incoming);
    }

    private CounterPair pair(int number) {
        final MixedLayout layout = parts.layout();
        return parts.node()
                .client()
                .counterPair(
                        parts.window(),
                        layout.exchange(2 * number),
                        layout.exchange(2 * number + 1),
                        MixedLayout.EXCHANGE_BYTES,
                        partners);
    }

    @Override
    public void begin() {
        for (final int partner : partners) {
            targets.add(parts.context().attach(partner, NAME, Deadline.in(60, TimeUnit.SECONDS)));
        }
    }

    private int other() {
        return rank == partners[0] ? partners[partners.length - 1] : partners[0];
    }

    private void body() {
        final Context context = parts.context();
        final int bytes = partners.length * piece;
        context.expect(incoming, bytes);
        for (final Target target : targets) {
            context.put(target, (long) (rank & 1) * MixedLayout.PIECE_BYTES, sources, 0, piece);
        }
        // The first piece takes the counter past this value.
        context.waitUntil(incoming, bytes - 1L);
        context.waitUntil(incoming, 0);
        context.copy(incoming, 0, results, 0, MixedLayout.EXCHANGE_BYTES);
    }

    /** Starts or queues the next round, if that is possible now. */
    boolean start() {
        checkRounds();
        if (started < rounds && started - checked < 2 && !isLost) {
            try {
                begin(started + 1);
            } catch (final SegnoException e) {
                parts.ledger().failed(rank, other(), "an exchange: " + e);
                isLost = true;
            }
            parts.ledger().exchanged(rank, started);
        }
        return true;
    }

    /** Ends the beginning of rounds, but for those that the other rank has begun. No rank begins others from now on. */
    void stop() {
        rounds = Math.min(rounds, Math.max(started, parts.ledger().exchanged(other())));
    }

    private void begin(long round) {
        final long at = sources.offset(round);
        ExpectedBytes.write(parts.window(), at, ExpectedBytes.ofRound(rank, round), piece);
        if (pattern == null && isRecorded) {
            pattern = parts.context().record(ID, Rounds.ALTERNATE, this::body);
            started++;
        } else {
            final Pattern known = pattern == null ? parts.context().prepare(Rounds.ALTERNATE, this::body) : pattern;
            pattern = known;
            final long status = started == 0
                    ? parts.context().replay(known, leap + 1)
                    : parts.context().queue(known);
            started += status < 0 ? 0 : 1;
        }
    }

    /** Compares the results of the rounds that were executed since the last call with what the partners have sent. */
    private void checkRounds() {
        final Pattern known = pattern;
        if (known == null) {
            return;
        }
        if (parts.context().failure(other()) != null) {
            isLost = true;
        }
        if (known.errorAcquire() != 0) {
            parts.ledger().failed(rank, other(), "an exchange: " + InjectionCounter.code(known.errorAcquire()));
            isLost = true;
        }
        while (checked < started
                && known.executedAcquire() >= leap + checked + 1
                && !parts.ledger().isLost(rank, other())) {
            checked++;
            check(checked);
        }
    }

    private void check(long round) {
        parts.ledger().checked();
        for (final int partner : partners) {
            final long at = results.offset(round) + (long) (partner & 1) * MixedLayout.PIECE_BYTES;
            if (parts.payload().mismatch(parts.window(), at, ExpectedBytes.ofRound(partner, round), piece) >= 0) {
                parts.ledger()
                        .defect("rank " + rank + " has other bytes of rank " + partner + " in round " + round
                                + " of their exchange than that has sent");
            }
        }
    }

    @Override
    public boolean isIdle() {
        checkRounds();
        return isLost || checked == rounds;
    }

    /** Checks that nothing lies behind the pieces, and that the counters have returned to zero. */
    @Override
    public void check() {
        final boolean isClean = IntStream.range(0, MixedLayout.EXCHANGE_SETS)
                .allMatch(set -> ExpectedBytes.isZero(
                        parts.window(),
                        parts.layout().exchange(set) + MixedLayout.EXCHANGE_BYTES,
                        MixedLayout.EXCHANGE_GAP));
        if (!isClean) {
            parts.ledger().defect("bytes lie beside the exchange of rank " + rank);
        }
        if (!isLost && !parts.ledger().isLost(rank, other())) {
            parts.ledger()
                    .checkValue(
                            rank,
                            "even counter of the exchange",
                            incoming.counter(0).valueAcquire());
            parts.ledger()
                    .checkValue(
                            rank,
                            "odd counter of the exchange",
                            incoming.counter(1).valueAcquire());
        }
    }
}
