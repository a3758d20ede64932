package org.segno.transport.shm;

import org.segno.node.Node;
import org.segno.status.SegnoException;

/** Joins, says how that ended, and leaves. */
final class Joiner implements Part {
    @Override
    public void play(Stage stage) {
        try (Node node = stage.join()) {
            stage.say("joined as " + node.rank());
        } catch (SegnoException e) {
            stage.say("outcome " + Outcome.of(e));
        }
    }
}
