package org.segno.demo.halo;

import org.jspecify.annotations.Nullable;
import org.segno.context.Context;
import org.segno.memory.CounterPair;
import org.segno.pattern.Pattern;
import org.segno.pattern.Rounds;

/**
 * Repeated communication step. Its first run records and sends it, all later runs replay it.
 *
 * <p>A run waits for its completion: the expected messages have arrived, and the sent values may be overwritten. Used
 * by the thread of the context; allocates nothing once it is recorded.
 */
final class RecordedRound {
    private final Context context;
    private final int id;
    private final CounterPair landing;
    private final long expectedBytes;
    private final Runnable puts;
    private @Nullable Pattern pattern;
    private long replayCount;

    /**
     * Creates a round. Nothing is sent yet.
     *
     * @param id pattern id, unused in this context
     * @param landing counters of the arriving data, used in turn
     * @param expectedBytes bytes that arrive in each round
     * @param puts injects this rank's messages
     */
    RecordedRound(Context context, int id, CounterPair landing, long expectedBytes, Runnable puts) {
        this.context = context;
        this.id = id;
        this.landing = landing;
        this.expectedBytes = expectedBytes;
        this.puts = puts;
    }

    /**
     * Sends this rank's messages and waits for all others. Returns the offset of the received data in the window of
     * {@code landing}.
     */
    long run() {
        final long generation;
        Pattern recorded = pattern;
        if (recorded == null) {
            recorded = context.record(id, Rounds.ALTERNATE, this::inject);
            pattern = recorded;
            generation = 1;
            context.await(recorded, generation, RetryingCalls.deadlineNs());
        } else {
            generation = context.run(recorded, RetryingCalls.deadlineNs());
            replayCount++;
        }
        return landing.offset(generation);
    }

    /** Returns the number of replays of the recording. */
    long replayCount() {
        return replayCount;
    }

    private void inject() {
        context.expect(landing, expectedBytes);
        puts.run();
    }
}
