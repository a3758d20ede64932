package org.segno.context;

import org.segno.engine.reuse.CounterGroup;
import org.segno.engine.reuse.WindowArena;

/**
 * Resources of one client.
 *
 * @param name under which it was opened; empty for the node's own client
 * @param number within its node, 0 for the node's own client
 * @param first number of its first context
 * @param count number of its contexts; for the node's own client, the number of all contexts of the node, including
 *     those of other clients
 * @param tasks ranks that take part, in ascending order
 * @param windows its memory
 * @param counters its counters
 */
record ClientShare(
        String name, int number, int first, int count, TaskList tasks, WindowArena windows, CounterGroup counters) {
    /** Returns the client's name for messages. */
    String title() {
        return number == 0 ? "the node's own client" : "client \"" + name + "\"";
    }
}
