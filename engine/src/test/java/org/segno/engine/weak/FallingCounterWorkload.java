package org.segno.engine.weak;

import static java.util.concurrent.TimeUnit.SECONDS;

import java.util.List;
import java.util.SplittableRandom;
import org.segno.context.Client;
import org.segno.context.Context;
import org.segno.context.ContextAccess;
import org.segno.engine.memory.NodeDimensions;
import org.segno.engine.memory.NodeSize;
import org.segno.memory.CounterPair;
import org.segno.memory.ReceptionCounter;
import org.segno.memory.Target;
import org.segno.memory.Window;
import org.segno.pattern.Pattern;
import org.segno.pattern.Rounds;
import org.segno.status.Deadline;

/**
 * Two nodes exchange a value in each round as collectives do, at counters that fall for ever: the engine of each puts
 * it, waits for that of the other, and copies it. Nothing is armed, so that only messages order the rounds.
 */
final class FallingCounterWorkload implements Workload {
    private static final int ROUNDS = 8;
    private static final String NAME = "falling";

    @Override
    public NodeDimensions dimensions() {
        return NodeSize.small().windowBytes(4096).dimensions();
    }

    @Override
    public List<Runnable> threads(WeakNodes nodes, SplittableRandom chance) {
        final Member[] members = {new Member(nodes, 0), new Member(nodes, 1)};
        final Pattern[] patterns = {members[0].prepare(), members[1].prepare()};
        return List.of(
                nodes.application(() -> members[0].run(patterns[0])),
                nodes.engine(0),
                nodes.application(() -> members[1].run(patterns[1])),
                nodes.engine(1));
    }

    private static long content(int rank, long round) {
        return 1000L * rank + round;
    }

    private static final class Member {
        private final WeakNodes nodes;
        private final int rank;
        private final Context context;
        private final Window window;
        private final CounterPair pair;

        Member(WeakNodes nodes, int rank) {
            final Client client = nodes.client(rank);
            this.nodes = nodes;
            this.rank = rank;
            this.context = nodes.context(rank);
            this.window = client.window(256);
            this.pair = client.counterPair(window, 64, 128, Long.BYTES, ReceptionCounter.ANYBODY);
            client.publish(NAME, pair);
        }

        Pattern prepare() {
            final Target peer = context.attach(1 - rank, NAME, Deadline.in(30, SECONDS));
            return context.prepare(Rounds.ALTERNATE, () -> {
                ContextAccess.expectCumulative(context, pair, Long.BYTES);
                context.put(peer, 0, window, 0, Long.BYTES);
                context.waitUntil(pair, 0);
                context.copy(pair, 0, window, 192, Long.BYTES);
            });
        }

        void run(Pattern pattern) {
            for (long round = 1; round <= ROUNDS; round++) {
                nodes.node(rank).arena().putLong(window.base(), content(rank, round));
                while (context.replay(pattern) < 0) {
                    nodes.pause();
                }
                while (pattern.executedAcquire() < round) {
                    nodes.pause();
                }
                final long found = nodes.node(rank).arena().getLong(window.base() + 192);
                nodes.require(found == content(1 - rank, round), "round # of rank # brought #", round, rank, found);
            }
        }
    }
}
