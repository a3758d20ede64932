package org.segno.tools.journal;

import static java.util.concurrent.TimeUnit.SECONDS;

import org.segno.context.Context;
import org.segno.memory.ReceptionCounter;
import org.segno.memory.Target;
import org.segno.memory.Window;
import org.segno.node.JobConfig;
import org.segno.node.Node;
import org.segno.node.NodeConfig;
import org.segno.pattern.Pattern;
import org.segno.pattern.Rounds;
import org.segno.status.Deadline;

/** Program of a rank whose traffic is recorded: rounds of a recorded pattern and barriers, as many as its argument. */
public final class RecordedRank {
    private RecordedRank() {}

    public static void main(String[] arguments) {
        final long rounds = Long.parseLong(arguments[0]);
        try (Node node =
                Node.join(JobConfig.fromEnvironment(), NodeConfig.defaults().withWindowBytes(4096))) {
            final Context context = node.client().context();
            final Window window = node.client().window(64);
            final int right = (node.rank() + 1) % node.size();
            final ReceptionCounter inbox = node.client().receptionCounter(window, 32, 32);
            node.client().publish("inbox", inbox);
            final Target target = context.attach(right, "inbox", Deadline.in(60, SECONDS));
            final Pattern pattern = context.record(5, Rounds.ORDERED_BY_CALLER, () -> {
                context.expect(inbox, 24);
                context.put(target, 0, window, 0, 24);
            });
            for (long round = 1; round <= rounds; round++) {
                context.await(pattern, round, Deadline.in(60, SECONDS));
                context.barrier(Deadline.in(60, SECONDS));
                if (round < rounds) {
                    context.replay(pattern);
                }
            }
            if (arguments.length > 1) {
                System.exit(0);
            }
        }
    }
}
