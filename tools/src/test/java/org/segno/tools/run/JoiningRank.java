package org.segno.tools.run;

import java.util.concurrent.TimeUnit;
import org.segno.context.Context;
import org.segno.engine.job.Platform;
import org.segno.node.JobConfig;
import org.segno.node.Node;
import org.segno.node.NodeConfig;
import org.segno.status.Deadline;
import org.segno.status.PeerFailedException;

/**
 * Rank that joins, prints its process id and enters a barrier. Its argument selects the next action: {@code leave} at
 * once, or {@code wait} for a message that no rank sends.
 */
final class JoiningRank {
    static final int SAW_A_DEATH = 7;

    private static final long LIMIT_S = 60;

    private JoiningRank() {}

    public static void main(String[] arguments) {
        try (Node node = Node.join(JobConfig.fromEnvironment(), NodeConfig.defaults())) {
            final Context context = node.client().context();
            context.barrier(Deadline.in(LIMIT_S, TimeUnit.SECONDS));
            System.out.println(Platform.pid());
            if (arguments[0].equals("wait")) {
                context.await(() -> false, Deadline.in(LIMIT_S, TimeUnit.SECONDS));
            }
        } catch (final PeerFailedException e) {
            System.err.println("rank " + e.rank() + " failed");
            System.exit(SAW_A_DEATH);
        }
    }
}
