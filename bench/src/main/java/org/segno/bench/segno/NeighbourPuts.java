package org.segno.bench.segno;

import org.segno.context.Context;
import org.segno.memory.CounterPair;
import org.segno.memory.InjectionCounter;
import org.segno.memory.Target;
import org.segno.status.Status;

/**
 * Rounds of PUTs of {@link NeighbourExchangeCost#PIECE} bytes to the other end, without a pattern. Rounds land in two
 * locations in turn, as those of a many-to-many exchange do.
 */
final class NeighbourPuts {
    private static final String NAME = "neighbours";

    private final NodeEnd ends;
    private final Context context;
    private final int neighbours;
    private final CounterPair incoming;
    private final InjectionCounter outgoing;
    private final Target[] targets = new Target[2];
    private final Runnable putAll = this::putAll;
    private long round;

    /** Opens the rounds together with the other end. The second location begins at {@code oddOffset}. */
    NeighbourPuts(NodeEnd ends, int neighbours, long oddOffset) {
        this.ends = ends;
        this.context = ends.context();
        this.neighbours = neighbours;
        this.incoming = ends.client().counterPair(ends.incoming(), 0, oddOffset, bytes());
        this.outgoing = ends.client().injectionCounter();
        ends.client().publish(NAME, incoming);
        final Target pair = context.attach(ends.peer(), NAME, NodeEnd.deadline());
        for (int i = 0; i < targets.length; i++) {
            targets[i] = pair.ofRound(i);
        }
    }

    private long bytes() {
        return (long) neighbours * NeighbourExchangeCost.PIECE;
    }

    /** Starts a round. Each PUT is published by a store of its own. */
    void startSingly() {
        expectRound();
        for (int i = 0; i < neighbours; i++) {
            while (put(i) == Status.BACK_PRESSURED) {
                context.advance();
            }
        }
    }

    /** Starts a round. All PUTs are published by one store. */
    void startBatch() {
        expectRound();
        while (context.batch(neighbours, putAll) == Status.BACK_PRESSURED) {
            context.advance();
        }
    }

    private void expectRound() {
        round++;
        context.expect(incoming.counter(round), bytes());
        context.expect(outgoing, bytes());
    }

    private void putAll() {
        for (int i = 0; i < neighbours; i++) {
            put(i);
        }
    }

    private long put(int neighbour) {
        final long offset = (long) neighbour * NeighbourExchangeCost.PIECE;
        return context.put(
                targets[(int) round & 1], offset, ends.outgoing(), offset, NeighbourExchangeCost.PIECE, outgoing);
    }

    /** Returns true when the last round is sent and its data have arrived. */
    boolean isComplete() {
        return incoming.counter(round).valueAcquire() <= 0 && outgoing.valueAcquire() <= 0;
    }
}
