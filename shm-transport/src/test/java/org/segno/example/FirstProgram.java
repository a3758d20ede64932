package org.segno.example;

import static java.util.concurrent.TimeUnit.SECONDS;

import org.segno.context.Context;
import org.segno.counter.ReceptionCounter;
import org.segno.job.JobConfig;
import org.segno.memory.Window;
import org.segno.node.Node;
import org.segno.node.NodeConfig;
import org.segno.operation.Target;
import org.segno.pattern.Pattern;
import org.segno.pattern.Rounds;
import org.segno.status.Deadline;

/** Every rank shifts a number to its right neighbour, a thousand times: recorded once, then replayed. */
public final class FirstProgram {
    public static void main(String[] args) {
        NodeConfig config = NodeConfig.defaults().withWindowBytes(1 << 20);
        try (Node node = Node.join(JobConfig.fromEnvironment(), config)) {
            Context context = node.client().context();
            int left = (node.rank() + node.size() - 1) % node.size();
            int right = (node.rank() + 1) % node.size();
            long deadlineNs = Deadline.in(30, SECONDS);

            Window window = node.client().window(16); // at 0 what goes to the right, at 8 what comes from the left
            ReceptionCounter inbox = node.client().receptionCounter(window, 8, 8, left);
            node.client().publish("inbox", inbox);
            Target rightInbox = context.attach(right, "inbox", deadlineNs);

            // What is recorded is sent for real: this is round 1.
            window.buffer().putLong(0, node.rank());
            Pattern shift = context.record(1, Rounds.ORDERED_BY_CALLER, () -> {
                context.expect(inbox, 8);
                context.put(rightInbox, 0, window, 0, 8);
            });

            for (long round = 1; round <= 1000; round++) {
                if (round > 1) {
                    context.barrier(deadlineNs); // all have read the last round: this one may overwrite it
                    context.replay(shift);
                }
                context.await(shift, round, deadlineNs);
                long value = window.buffer().getLong(8);
                if (value != left + 100 * (round - 1)) {
                    throw new IllegalStateException("round " + round + " brought " + value);
                }
                window.buffer().putLong(0, node.rank() + 100 * round);
            }
            System.out.println("rank " + node.rank() + " of " + node.size() + " heard rank " + left + " 1000 times");
        }
    }
}
