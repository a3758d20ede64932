package org.segno.tools.observe;

import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.segno.context.Context;
import org.segno.engine.job.Platform;
import org.segno.memory.CounterPair;
import org.segno.memory.Target;
import org.segno.memory.Window;
import org.segno.node.JobConfig;
import org.segno.node.Node;
import org.segno.node.NodeConfig;
import org.segno.node.NodeConfig.Threading;
import org.segno.pattern.Pattern;
import org.segno.pattern.Rounds;
import org.segno.status.Deadline;

/**
 * One of two ranks that exchange eight bytes a few times by a pattern, leave two descriptors that no engine carries
 * out, print their process id, and wait until they are ended.
 */
public final class WatchedRank {
    /** Rounds of the pattern, its recording among them. */
    public static final int ROUNDS = 4;

    /** Descriptors that remain in FIFO 0. */
    public static final int LEFT = 2;

    private static final long LIMIT_S = 60;

    private WatchedRank() {}

    public static void main(String[] arguments) throws InterruptedException {
        final NodeConfig config = NodeConfig.defaults().withWindowBytes(4096).withThreading(Threading.INVOKER);
        final Node node = Node.join(JobConfig.fromEnvironment(), config);
        final Context context = node.client().context();
        final int other = 1 - node.rank();
        final Window source = node.client().window(8);
        final Window inbox = node.client().window(256);
        final CounterPair pair = node.client().counterPair(inbox, 0, 128, 8, other);
        node.client().publish("inbox", pair);
        final Target target = context.attach(other, "inbox", deadline());
        final Pattern pattern = context.record(7, Rounds.ALTERNATE, () -> {
            context.expect(pair, 8);
            context.put(target, 0, source, 0, 8);
        });
        context.await(pattern, 1, deadline());
        for (int round = 2; round <= ROUNDS; round++) {
            context.replay(pattern);
            context.await(pattern, round, deadline());
        }
        context.barrier(deadline());
        for (int i = 0; i < LEFT; i++) {
            context.put(target.ofRound(0), 0, source, 0, 8);
        }
        System.out.println(Platform.pid());
        new CountDownLatch(1).await(LIMIT_S, TimeUnit.SECONDS);
    }

    private static long deadline() {
        return Deadline.in(LIMIT_S, TimeUnit.SECONDS);
    }
}
