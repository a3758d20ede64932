package org.segno.context;

import static java.util.concurrent.TimeUnit.SECONDS;

import org.segno.memory.CounterPair;
import org.segno.memory.Target;
import org.segno.memory.Window;
import org.segno.pattern.Pattern;
import org.segno.pattern.Rounds;
import org.segno.status.Deadline;
import org.segno.status.Status;

/**
 * Rank of a ring that exchanges values with both neighbours in every round, without a reduction or barrier. Each
 * round's sums are checked.
 */
public final class HaloRounds {
    private static final int WORDS = 4;
    private static final int BYTES = WORDS * Long.BYTES;
    private static final int PATTERN = 1;

    private final Client client;
    private final int rank;
    private final int size;
    private final Window window;
    private final CounterPair fromLeft;
    private final CounterPair fromRight;
    private Target left = new Target(0, 0, 0, 0, false);
    private Target right = left;

    @SuppressWarnings("NullAway.Init") // by record
    private Pattern pattern;

    private long round;

    /** Opens the counters and the window that the neighbours write to, and publishes them. */
    public HaloRounds(Client client, int rank, int size) {
        this.client = client;
        this.rank = rank;
        this.size = size;
        this.window = client.window(5 * BYTES);
        this.fromLeft = client.counterPair(window, BYTES, 2 * BYTES, BYTES, (rank + size - 1) % size);
        this.fromRight = client.counterPair(window, 3 * BYTES, 4 * BYTES, BYTES, (rank + 1) % size);
        client.publish("from left", fromLeft);
        client.publish("from right", fromRight);
    }

    /** Finds the neighbours, once all have published. */
    public void attach() {
        left = client.context().attach((rank + size - 1) % size, "from right", Deadline.in(30, SECONDS));
        right = client.context().attach((rank + 1) % size, "from left", Deadline.in(30, SECONDS));
    }

    /** Records the first round. */
    public void record() {
        final Context context = client.context();
        round = 1;
        fill();
        pattern = context.record(PATTERN, Rounds.ALTERNATE, () -> {
            context.expect(fromLeft, BYTES);
            context.expect(fromRight, BYTES);
            // Two parts each, so that a round is not one word.
            for (int at = 0; at < BYTES; at += BYTES / 2) {
                context.put(right, at, window, at, BYTES / 2);
                context.put(left, at, window, at, BYTES / 2);
            }
        });
    }

    private void fill() {
        for (int word = 0; word < WORDS; word++) {
            window.buffer().putLong(word * Long.BYTES, value(rank, round, word));
        }
    }

    private static long value(int rank, long round, int word) {
        return (rank + 1) * 1_000_003L + round * 31 + word;
    }

    /** Returns the current round. */
    public long round() {
        return round;
    }

    /** Returns true if the current round is complete: then {@link #next} may be called. */
    public boolean isComplete() {
        return pattern.isComplete();
    }

    /** Waits for the current round. */
    public void await() {
        client.context().await(pattern, round, Deadline.in(60, SECONDS));
    }

    /** Checks the sums of the round that is complete. */
    public void check() {
        for (int word = 0; word < WORDS; word++) {
            final long sum = window.buffer().getLong((int) fromLeft.offset(round) + word * Long.BYTES)
                    + window.buffer().getLong((int) fromRight.offset(round) + word * Long.BYTES);
            final long expected = value((rank + size - 1) % size, round, word) + value((rank + 1) % size, round, word);
            if (sum != expected) {
                throw new AssertionError("rank " + rank + " round " + round + " word " + word + ": sum " + sum
                        + " instead of " + expected);
            }
        }
    }

    /** Starts the next round. */
    public void next() {
        round++;
        fill();
        long generation = client.context().replay(pattern);
        while (generation == Status.BACK_PRESSURED) {
            client.context().advance();
            generation = client.context().replay(pattern);
        }
        if (generation != round) {
            throw new AssertionError("rank " + rank + " round " + round + ": replay returned " + generation);
        }
    }
}
