package org.segno.message;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import org.segno.context.Client;
import org.segno.context.Context;
import org.segno.context.InjectionFifo;
import org.segno.context.NodeShare;
import org.segno.counter.CounterSettings;
import org.segno.counter.InjectionCounter;
import org.segno.counter.ReceptionCounter;
import org.segno.counter.Right;
import org.segno.dispatch.Announcement;
import org.segno.memory.Window;

/**
 * What a messenger takes of its client, all of it or nothing.
 *
 * @param window its memory
 * @param told stands over the answers that others put
 * @param counters one for each message that is fetched
 * @param fetches what these are fetched and answered through
 */
record Belongings(Window window, ReceptionCounter told, List<InjectionCounter> counters, InjectionFifo fetches) {
    /** Where announcements lie in the window: behind the answers of others to them. */
    static final int ANNOUNCEMENTS_OFFSET = Departures.SLOTS * Long.BYTES;

    /** Where the answers to others lie. */
    static final int ANSWERS_OFFSET = ANNOUNCEMENTS_OFFSET + Departures.SLOTS * Announcement.LENGTH;

    private static final int WINDOW_LENGTH = ANSWERS_OFFSET + Arrivals.SLOTS * Long.BYTES;

    /** Takes it, or gives back what it has taken and throws why that is not all; says what to raise. */
    static Belongings take(Client client, Context context) {
        NodeShare.requireMessenger(client, context);
        final Deque<Runnable> back = new ArrayDeque<>();
        boolean complete = false;
        try {
            final Window window = client.window(WINDOW_LENGTH);
            back.push(() -> client.close(window));
            final List<InjectionCounter> counters = new ArrayList<>();
            for (int i = 0; i < Arrivals.SLOTS; i++) {
                final InjectionCounter counter = client.injectionCounter();
                back.push(() -> client.close(counter));
                counters.add(counter);
            }
            // To be changed atomically as well: who has no messenger has no memory either to put an answer from.
            final ReceptionCounter told = client.receptionCounter(
                    window, 0, ANNOUNCEMENTS_OFFSET, CounterSettings.ANYBODY, Right.PUT, Right.ATOMIC);
            back.push(() -> client.close(told));
            // Last: a FIFO is not given back.
            final Belongings all = new Belongings(window, told, counters, context.injectionFifo());
            complete = true;
            return all;
        } finally {
            if (!complete) {
                back.forEach(Runnable::run);
            }
        }
    }
}
