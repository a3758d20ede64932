package org.segno.simulator;

import java.util.Arrays;
import org.agrona.DirectBuffer;
import org.jspecify.annotations.Nullable;
import org.segno.collective.Collective;
import org.segno.collective.CollectiveKind;
import org.segno.simulator.CollectiveScript.DrawnCollective;

/** A collective that is prepared at one member, with the checks of its rounds. */
final class OpenCollective {
    private final CollectiveRun run;
    private final DrawnCollective drawn;
    private final int rank;
    private final int self;
    private final Collective collective;
    private final @Nullable CollectivePlace place;

    /** Creates it; without a place, it uses memory of its own. */
    OpenCollective(
            CollectiveRun run,
            DrawnCollective drawn,
            int rank,
            Collective collective,
            @Nullable CollectivePlace place) {
        this.run = run;
        this.drawn = drawn;
        this.rank = rank;
        this.self = drawn.geometry().member(rank);
        this.collective = collective;
        this.place = place;
    }

    DrawnCollective drawn() {
        return drawn;
    }

    Collective collective() {
        return collective;
    }

    boolean isBarrier() {
        return drawn.call().kind() == CollectiveKind.BARRIER;
    }

    /** Returns true if the second round of a pair may be queued before the first one is complete. */
    boolean isPaired() {
        return drawn.isPaired();
    }

    /** Returns the number by which the contributions to a round are known. */
    private long content(long round) {
        return drawn.isPaired() ? (round + 1) / 2 : round;
    }

    /** Writes the contribution to the next round, or enters the barrier. */
    void write() {
        final long round = collective.round() + 1;
        if (isBarrier()) {
            run.enter(drawn.call(), self, round);
            return;
        }
        final byte[] contribution = CollectiveReference.contribution(drawn.call(), content(round), self);
        if (place != null) {
            place.write(contribution);
        } else if (contribution.length > 0) {
            collective.input().putBytes(0, contribution);
        }
    }

    /** Checks the last round, which is complete. */
    void check() {
        final long round = collective.round();
        run.complete(drawn.call(), rank, round);
        if (isBarrier()) {
            run.checkEntered(drawn.call(), self, round);
            return;
        }
        final byte[] result = CollectiveReference.result(drawn.call(), content(round), self);
        final String difference = place == null ? difference(result) : place.difference(result);
        run.checked();
        if (!difference.isEmpty()) {
            run.defect(
                    "rank " + rank + " has a wrong result in round " + round + " of " + collective + ": " + difference);
        }
    }

    private String difference(byte[] result) {
        return result.length == 0 ? "" : difference(collective.output(), result);
    }

    /** Compares a result with what it must be. Returns the difference in words, empty if there is none. */
    static String difference(DirectBuffer buffer, byte[] due) {
        final byte[] found = new byte[due.length];
        buffer.getBytes(0, found);
        final int at = Arrays.mismatch(found, due);
        return at < 0 ? "" : "byte " + at + " of " + due.length + " is " + found[at] + ", not " + due[at];
    }

    @Override
    public String toString() {
        return collective.toString();
    }
}
