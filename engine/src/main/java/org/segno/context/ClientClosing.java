package org.segno.context;

import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.segno.engine.reuse.Closings;
import org.segno.engine.reuse.PendingClosing;
import org.segno.memory.InjectionCounter;
import org.segno.memory.ReceptionCounter;
import org.segno.memory.Window;

/**
 * Steps of the closing of a client, until its contexts, counters and memory have no user left at this node: the threads
 * leave its contexts, its patterns are closed, everything that was injected is carried out, and its counters and
 * windows are closed. Used under the monitor that the clients share.
 */
final class ClientClosing {
    private final ClientShare share;
    private final Closings closings;

    /** Contexts of the client that threads may still use. */
    private final List<Context> used;

    /** Contexts of the client that exist. */
    private final List<Context> contexts;

    /** Closings of counters and windows that are not complete. */
    private final List<PendingClosing> pending = new ArrayList<>();

    private int discarded;
    private int abandoned;
    private String unfinished = "";

    /** Begins the closing of a client, whose contexts have ended. */
    ClientClosing(ClientShare share, Closings closings, List<Context> contexts) {
        this.share = share;
        this.closings = closings;
        this.contexts = contexts;
        this.used = new ArrayList<>(contexts);
    }

    /** Returns the number of pieces of posted work that no thread will run. */
    int discarded() {
        return discarded;
    }

    /** Returns the number of contexts with loans that no thread could end any more. */
    int abandoned() {
        return abandoned;
    }

    /** Describes the messages that had not ended; empty if there were none. */
    String unfinished() {
        return unfinished;
    }

    /** Makes progress, and describes what is left, or returns null when nothing is. Never blocks. */
    @Nullable
    String left() {
        final String thread = leave();
        if (thread != null) {
            return thread;
        }
        final String work = carryOut();
        return work != null ? work : closeResources();
    }

    /** Closes the patterns of each context that its last thread has left. */
    private @Nullable String leave() {
        for (int i = used.size() - 1; i >= 0; i--) {
            final Context context = used.get(i);
            if (context.isLeft()) {
                abandoned += context.loans().abandonFree().isEmpty() ? 0 : 1;
                if (context.loans().count() != 0) {
                    return context.loans().count() + " loans of " + context + ", which can only be abandoned now";
                }
                final String open = context.passes().unfinished();
                unfinished += open.isEmpty() ? "" : "; " + open;
                context.patterns().closeAll();
                discarded += context.passes().work().discard();
                used.remove(i);
            }
        }
        return used.isEmpty()
                ? null
                : "thread " + used.get(0).passes().user() + " to leave " + used.get(0)
                        + " by its next call, which is refused, or by its end";
    }

    private @Nullable String carryOut() {
        String left = null;
        for (final Context context : contexts) {
            // Under INVOKER no other thread runs this engine any more. It rests in between, so that it delays no peer.
            context.passes().runEngineAndRest();
            final String here = context.fifos().retire();
            left = here == null ? left : "the engine to carry out what was injected into " + context + ": " + here;
        }
        return left;
    }

    private @Nullable String closeResources() {
        try {
            for (final ReceptionCounter counter : share.counters().openReceptions()) {
                pending.add(closings.close(counter));
            }
            for (final InjectionCounter counter : share.counters().openInjections()) {
                pending.add(closings.close(counter));
            }
            for (final Window window : share.windows().open()) {
                pending.add(closings.close(window));
            }
        } catch (final IllegalStateException e) {
            // A pattern of another client uses one of them: it is closed once that pattern is.
            return "the end of another use: " + e.getMessage();
        }
        final ReceptionCounter events = share.counters().withEventsIn(share.first(), share.count());
        if (events != null) {
            // Its next hit would find no room in a lane that nobody reads, and hold its senders.
            return "the close of " + events + " of another client, whose handler is registered here";
        }
        pending.removeIf(PendingClosing::isDone);
        return pending.isEmpty() ? null : pending.get(0).toString();
    }
}
