package org.segno.example;

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

/** Every rank sends a number to its right neighbour a thousand times: recorded once, then replayed. */
public final class FirstProgram {
    public static void main(String[] args) {
        NodeConfig config = NodeConfig.defaults().withWindowBytes(4096);
        try (Node node = Node.join(JobConfig.fromEnvironment(), config)) {
            Context context = node.client().context();
            int left = (node.rank() + node.size() - 1) % node.size();
            int right = (node.rank() + 1) % node.size();
            long deadlineNs = Deadline.in(30, SECONDS);

            Window window = node.client().window(16); // offset 0: the value to send; offset 8: the received value
            ReceptionCounter inbox = node.client().receptionCounter(window, 8, 8, left);
            node.client().publish("inbox", inbox);
            Target rightInbox = context.attach(right, "inbox", deadlineNs);

            Pattern shift = context.prepare(Rounds.ORDERED_BY_CALLER, () -> {
                context.expect(inbox, 8);
                context.put(rightInbox, 0, window, 0, 8);
            });
            for (long round = 1; round <= 1000; round++) {
                window.buffer().putLong(0, node.rank() + 100 * round);
                context.replay(shift);
                context.await(shift, round, deadlineNs);
                if (window.buffer().getLong(8) != left + 100 * round) {
                    throw new IllegalStateException("wrong value in round " + round);
                }
                context.barrier(deadlineNs); // all ranks have read their value: the next round may overwrite it
            }
            System.out.println(
                    "rank " + node.rank() + " of " + node.size() + " received 1000 values from rank " + left);
        }
    }
}
