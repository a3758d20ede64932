package org.segno.transport.shm;

import org.segno.node.Node;
import org.segno.status.SegnoException;

/** Rank that joins, prints the outcome, and leaves. */
final class Joiner implements Scenario {
    @Override
    public void run(ScenarioRun run) {
        try (Node node = run.join()) {
            run.print("joined as " + node.rank());
        } catch (SegnoException e) {
            run.print("outcome " + Outcome.of(e));
        }
    }
}
