package org.segno.bench.limit;

import java.io.IOException;
import java.nio.file.Path;
import org.agrona.UnsafeApi;
import org.segno.bench.experiment.MappedBlock;
import org.segno.bench.experiment.Role;
import org.segno.bench.experiment.Spin;
import org.segno.bench.experiment.TimedRound;

/**
 * Exchange of one word with each of several neighbours at the other end, in both directions at the same time: each end
 * copies its words to their places and stores one flag. It is the limit for a many-to-many round.
 *
 * <p>Rounds land in two locations in turn, because an end may be one round ahead of the other.
 *
 * <pre>
 *  offset  length  field   written by
 *       0       8  flag    the other end, release, after the words of the round: the round
 *    4096       *  words   the other end, plain, in even rounds
 *   12288       *  words   the other end, plain, in odd rounds
 * </pre>
 */
final class BareNeighbours implements TimedRound {
    private static final int WORDS_OFFSET = 4096;
    private static final int LOCATION_LENGTH = 8192;

    private final int neighbours;
    private final long source;
    private final long own;
    private final long theirs;
    private long round;

    private BareNeighbours(int neighbours, MappedBlock source, MappedBlock own, MappedBlock theirs) {
        this.neighbours = neighbours;
        this.source = source.address();
        this.own = own.address();
        this.theirs = theirs.address();
    }

    /** Opens one end of an exchange with at most 1,024 neighbours. */
    static BareNeighbours open(Role role, Path directory, int neighbours) throws IOException {
        final MappedBlock own =
                MappedBlock.make(directory.resolve("target-" + role), WORDS_OFFSET + 2 * LOCATION_LENGTH);
        final MappedBlock source = MappedBlock.make(directory.resolve("source-" + role), LOCATION_LENGTH);
        for (int i = 0; i < neighbours; i++) {
            UnsafeApi.putLong(source.address() + (long) i * Long.BYTES, word(role, i));
        }
        final MappedBlock theirs = MappedBlock.await(directory.resolve("target-" + role.other()));
        return new BareNeighbours(neighbours, source, own, theirs);
    }

    /** Returns the word that an end sends to one of its neighbours in every round. */
    static long word(Role sender, int neighbour) {
        return ((long) sender.rank() << Integer.SIZE) + neighbour + 1;
    }

    @Override
    public void run() {
        round++;
        final long location = theirs + WORDS_OFFSET + (round & 1) * LOCATION_LENGTH;
        for (int i = 0; i < neighbours; i++) {
            final long offset = (long) i * Long.BYTES;
            UnsafeApi.putLong(location + offset, UnsafeApi.getLong(source + offset));
        }
        UnsafeApi.putLongRelease(null, theirs, round);
        int spins = 0;
        while (UnsafeApi.getLongAcquire(null, own) < round) {
            spins = Spin.pause(spins);
        }
    }

    /** Returns the word that was received from a neighbour in the last even round, or in the last odd one. */
    long received(int parity, int neighbour) {
        return UnsafeApi.getLong(own + WORDS_OFFSET + (long) parity * LOCATION_LENGTH + (long) neighbour * Long.BYTES);
    }
}
