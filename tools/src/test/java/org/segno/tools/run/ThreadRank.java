package org.segno.tools.run;

import java.util.concurrent.TimeUnit;
import org.segno.context.Context;
import org.segno.engine.job.Platform;
import org.segno.node.JobConfig;
import org.segno.node.Node;
import org.segno.node.NodeConfig;
import org.segno.node.RankMain;
import org.segno.status.Deadline;
import org.segno.status.PeerFailedException;

/**
 * Rank that is a thread or a process. It joins, enters a barrier and prints a line on each stream. Its argument selects
 * the next action: {@code leave}, {@code read} a byte of standard input, or {@code fail} as rank 1 while the others
 * wait.
 */
public final class ThreadRank implements RankMain {
    private static final long LIMIT_S = 60;

    public static void main(String[] arguments) throws Exception {
        new ThreadRank().run(JobConfig.fromEnvironment(), arguments);
    }

    @Override
    public void run(JobConfig job, String[] arguments) throws Exception {
        final Node node = Node.join(job, NodeConfig.defaults());
        final Context context = node.client().context();
        context.barrier(Deadline.in(LIMIT_S, TimeUnit.SECONDS));
        System.out.println("rank " + node.rank() + " in " + Platform.pid());
        final Thread helper = new Thread(() -> System.err.println("helper of " + job.rank()));
        helper.start();
        helper.join();
        if (arguments[0].equals("read")) {
            System.out.println("read " + System.in.read());
        }
        if (arguments[0].equals("fail")) {
            fail(job, context);
        }
        node.close();
    }

    private static void fail(JobConfig job, Context context) {
        if (job.rank() == 1) {
            throw new IllegalStateException("test");
        }
        try {
            context.await(() -> false, Deadline.in(LIMIT_S, TimeUnit.SECONDS));
        } catch (final PeerFailedException e) {
            System.out.println("saw rank " + e.rank() + " fail");
            throw e;
        }
    }
}
