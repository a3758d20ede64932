package org.segno.message;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import org.segno.context.Client;
import org.segno.context.Context;
import org.segno.context.ContextAccess;
import org.segno.context.InjectionFifo;
import org.segno.engine.counter.CounterSettings;
import org.segno.engine.dispatch.Announcement;
import org.segno.memory.InjectionCounter;
import org.segno.memory.ReceptionCounter;
import org.segno.memory.Right;
import org.segno.memory.Window;

/**
 * Resources that a messenger allocates from its client, completely or not at all.
 *
 * @param window its memory
 * @param replies counter over the results that receivers put
 * @param counters one for each message that is fetched
 * @param fetches FIFO through which messages are fetched and their senders are notified
 */
record MessengerResources(
        Window window, ReceptionCounter replies, List<InjectionCounter> counters, InjectionFifo fetches) {
    /** Offset of the announcements in the window, behind the results of receivers. */
    static final int ANNOUNCEMENTS_OFFSET = RendezvousSends.ALL_SLOTS * Long.BYTES;

    /** Offset of the results for senders. */
    static final int REPLIES_OFFSET = ANNOUNCEMENTS_OFFSET + RendezvousSends.ALL_SLOTS * Announcement.LENGTH;

    private static final int WINDOW_LENGTH = REPLIES_OFFSET + RendezvousReceives.SLOTS * Long.BYTES;

    /**
     * Allocates the resources. If one is missing, frees the others and throws an exception that names the setting to
     * raise.
     */
    static MessengerResources take(Client client, Context context) {
        ContextAccess.requireMessenger(client, context);
        final Deque<Runnable> back = new ArrayDeque<>();
        boolean complete = false;
        try {
            final Window window = client.window(WINDOW_LENGTH);
            back.push(() -> client.close(window));
            final List<InjectionCounter> counters = new ArrayList<>();
            for (int i = 0; i < RendezvousReceives.SLOTS; i++) {
                final InjectionCounter counter = client.injectionCounter();
                back.push(() -> client.close(counter));
                counters.add(counter);
            }
            // Changes by atomic operations are permitted, too, because a rank without a messenger has no memory from
            // which to put its result.
            final ReceptionCounter replies = client.receptionCounter(
                    window, 0, ANNOUNCEMENTS_OFFSET, CounterSettings.ANYBODY, Right.PUT, Right.ATOMIC);
            back.push(() -> client.close(replies));
            // Allocated last, because a FIFO cannot be freed.
            final MessengerResources all = new MessengerResources(window, replies, counters, context.injectionFifo());
            complete = true;
            return all;
        } finally {
            if (!complete) {
                back.forEach(Runnable::run);
            }
        }
    }
}
