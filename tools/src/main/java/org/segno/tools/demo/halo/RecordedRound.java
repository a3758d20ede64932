package org.segno.tools.demo.halo;

import org.jspecify.annotations.Nullable;
import org.segno.context.Context;
import org.segno.counter.CounterPair;
import org.segno.pattern.Pattern;
import org.segno.pattern.Rounds;
import org.segno.status.Status;

/**
 * One step of communication that comes again and again: recorded, and sent for real, when it is first run, replayed ever after.
 *
 * <p>Runs to completion: what was expected has come, and what was sent may be overwritten. Used by the thread of the context; allocates
 * nothing once it is recorded.
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
     * Names a round; nothing is sent yet.
     *
     * @param id pattern id, free in this context.
     * @param landing where the others' data arrive, in turn.
     * @param expectedBytes what arrives there in each round.
     * @param puts injects this rank's messages.
     */
    RecordedRound(Context context, int id, CounterPair landing, long expectedBytes, Runnable puts) {
        this.context = context;
        this.id = id;
        this.landing = landing;
        this.expectedBytes = expectedBytes;
        this.puts = puts;
    }

    /** Sends, and waits until all have come; returns the offset in the window of {@code landing} where they lie. */
    long run() {
        final long generation;
        Pattern recorded = pattern;
        if (recorded == null) {
            recorded = context.record(id, Rounds.ALTERNATE, this::inject);
            pattern = recorded;
            generation = 1;
        } else {
            generation = replay(recorded);
            replayCount++;
        }
        context.await(recorded, generation, Puts.deadlineNs());
        return landing.offset(generation);
    }

    /** How often the recording was replayed. */
    long replayCount() {
        return replayCount;
    }

    private void inject() {
        context.expect(landing, expectedBytes);
        puts.run();
    }

    private long replay(Pattern recorded) {
        long generation = context.replay(recorded);
        while (!Status.isProgress(generation)) {
            context.advance();
            generation = context.replay(recorded);
        }
        return generation;
    }
}
