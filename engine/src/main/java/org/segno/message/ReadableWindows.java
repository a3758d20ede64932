package org.segno.message;

import org.agrona.collections.Object2ObjectHashMap;
import org.segno.context.Client;
import org.segno.engine.counter.CounterSettings;
import org.segno.memory.ReceptionCounter;
import org.segno.memory.Right;
import org.segno.memory.Window;

/** Windows from which long messages are sent, with the counters that grant the right to read them. One thread. */
final class ReadableWindows {
    private final Client client;

    /** Counters by window. The key is the window itself, because ids are local to a node. */
    private final Object2ObjectHashMap<Window, ReceptionCounter> counters = new Object2ObjectHashMap<>();

    ReadableWindows(Client client) {
        this.client = client;
    }

    /**
     * Returns the counter that grants the right to read a window. It is created when the first message of the window is
     * announced.
     */
    ReceptionCounter counter(Window payload) {
        ReceptionCounter counter = counters.get(payload);
        if (counter == null) {
            counter = client.receptionCounter(payload, 0, payload.length(), CounterSettings.ANYBODY, Right.GET);
            counters.put(payload, counter);
        }
        return counter;
    }

    /** Revokes the right to read a window, so that the window can be closed. */
    void release(Window payload) {
        final ReceptionCounter counter = counters.remove(payload);
        if (counter != null) {
            client.close(counter);
        }
    }
}
