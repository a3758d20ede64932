package org.segno.transport.shm;

import org.segno.context.Client;
import org.segno.context.Context;
import org.segno.memory.ReceptionCounter;
import org.segno.memory.Target;
import org.segno.memory.Window;
import org.segno.node.Node;
import org.segno.status.SegnoException;

/**
 * Rank that joins and puts a word to the next rank in each round. Arguments: the number of rounds, and whether to leave
 * after them ({@code leave}) or to wait for the previous rank, which puts no more ({@code wait}). It prints the outcome
 * of a failure.
 */
final class RingExchange implements Scenario {
    @Override
    public void run(ScenarioRun run) {
        try (Node node = run.join()) {
            final Client client = node.client();
            final Context context = client.context();
            final int before = (node.rank() + node.size() - 1) % node.size();
            final Window window = client.window(16);
            final ReceptionCounter counter = client.receptionCounter(window, 0, 8, before);
            client.publish("ring", counter);
            final Target next = context.attach((node.rank() + 1) % node.size(), "ring", ScenarioRun.deadline());
            for (int round = 0; round < run.number(0); round++) {
                counter.expect(8);
                window.buffer().putLong(8, word(node.rank(), round));
                context.put(next, 0, window, 8, 8);
                context.await(counter, ScenarioRun.deadline());
                final long found = window.buffer().getLong(0);
                if (found != word(before, round)) {
                    throw new IllegalStateException("round " + round + ": " + found);
                }
                context.barrier(ScenarioRun.deadline());
            }
            run.print("exchanged");
            if (run.argument(1).equals("wait")) {
                counter.expect(8);
                context.await(counter, ScenarioRun.deadline());
            }
        } catch (SegnoException e) {
            run.print("outcome " + Outcome.of(e));
        }
    }

    private static long word(int rank, int round) {
        return 1_000_000L * rank + round;
    }
}
