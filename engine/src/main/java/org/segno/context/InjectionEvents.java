package org.segno.context;

import java.util.ArrayList;
import java.util.List;
import org.segno.memory.InjectionCounter;
import org.segno.memory.MemoryAccess;
import org.segno.operation.CounterHandler;

/**
 * Injection counters of a context whose hits and refusals run a handler. Engines count the events of such a counter
 * beside its value, and each pass compares the counts. An event therefore needs no room in a lane, cannot be lost, and
 * costs nothing for other counters. Used by one thread.
 */
final class InjectionEvents {
    private final List<Watched> all = new ArrayList<>();

    /** Number of watched counters. A pass with none looks at nothing else. */
    private int count;

    /** A counter, its handler, and the number of events that the handler has been called for. */
    private static final class Watched {
        final InjectionCounter counter;
        CounterHandler handler;
        long seen;

        Watched(InjectionCounter counter, CounterHandler handler) {
            this.counter = counter;
            this.handler = handler;
        }
    }

    /** Registers the handler of a counter, in place of an earlier one. */
    void register(InjectionCounter counter, CounterHandler handler) {
        for (int i = 0; i < all.size(); i++) {
            if (all.get(i).counter == counter) {
                all.get(i).handler = handler;
                return;
            }
        }
        MemoryAccess.events(counter);
        all.add(new Watched(counter, handler));
        count++;
    }

    /** Calls the handler of each counter with new events, once whatever their number. Returns the number of calls. */
    int poll() {
        return count == 0 ? 0 : raise();
    }

    private int raise() {
        int raised = 0;
        // Handlers may register others, which are appended.
        for (int i = 0; i < all.size(); i++) {
            final Watched watched = all.get(i);
            if (MemoryAccess.isClosed(watched.counter)) {
                // The id may have another use by now.
                all.remove(i--);
                count--;
                continue;
            }
            final long events = MemoryAccess.eventsAcquire(watched.counter);
            if (events != watched.seen) {
                watched.seen = events;
                watched.handler.onHit(watched.counter.id());
                raised++;
            }
        }
        return raised;
    }
}
