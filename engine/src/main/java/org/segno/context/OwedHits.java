package org.segno.context;

import java.util.ArrayList;
import java.util.List;
import java.util.function.IntConsumer;
import org.segno.engine.counter.OwedEvents;
import org.segno.engine.memory.NodeMemory;
import org.segno.memory.ReceptionCounter;

/**
 * Reception counters of a context whose hits run a handler, for the events that had no room in a lane. A pass loads one
 * word while no event is owed. Used by one thread.
 */
final class OwedHits {
    private final OwedEvents owed;
    private final int context;
    private final List<Watched> all = new ArrayList<>();

    /** Number of owed events of the context up to which those of every counter have been raised. */
    private long seen;

    /** Number of entries. A pass without any looks at nothing else. */
    private int count;

    /** A counter, and the number of its owed events for which the handler has been called. */
    private static final class Watched {
        final ReceptionCounter counter;
        long seen;

        Watched(ReceptionCounter counter, long seen) {
            this.counter = counter;
            this.seen = seen;
        }
    }

    /** Creates the owed events of a context. Those of its last use are dropped, like the records in its lanes. */
    OwedHits(NodeMemory node, int context) {
        this.owed = new OwedEvents(node);
        this.context = context;
        this.seen = owed.ofContextAcquire(context);
    }

    /** Raises the owed events of a counter from now on. Called before the counter is published. */
    void register(ReceptionCounter counter) {
        int place = all.size();
        for (int i = 0; i < all.size(); i++) {
            final ReceptionCounter other = all.get(i).counter;
            if (other == counter) {
                return;
            }
            // Entries never move, because a handler may register while the list is being walked.
            place = other.isClosed() ? i : place;
        }
        final Watched watched = new Watched(counter, owed.ofCounterAcquire(counter.id()));
        if (place == all.size()) {
            all.add(watched);
            count++;
        } else {
            all.set(place, watched);
        }
    }

    /** Returns true while an event is owed that has not been raised. */
    boolean isDue() {
        return count != 0 && owed.ofContextAcquire(context) != seen;
    }

    /** Raises the owed events, one for each counter whatever their number. Returns the number of raised events. */
    int poll(IntConsumer handler) {
        return count == 0 ? 0 : look(handler);
    }

    private int look(IntConsumer handler) {
        final long counted = owed.ofContextAcquire(context);
        return counted == seen ? 0 : raise(handler, counted);
    }

    private int raise(IntConsumer handler, long counted) {
        int raised = 0;
        for (int i = 0; i < all.size(); i++) {
            final Watched watched = all.get(i);
            final long events = owed.ofCounterAcquire(watched.counter.id());
            if (events != watched.seen && !watched.counter.isClosed()) {
                watched.seen = events;
                handler.accept(watched.counter.id());
                raised++;
            }
        }
        // Last: if a handler throws, the next pass raises the events of the counters behind it.
        seen = counted;
        return raised;
    }
}
