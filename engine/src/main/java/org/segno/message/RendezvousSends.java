package org.segno.message;

import org.jspecify.annotations.Nullable;
import org.segno.context.Context;
import org.segno.context.ContextAccess;
import org.segno.engine.dispatch.Announcement;
import org.segno.memory.InjectionCounter;
import org.segno.memory.MemoryAccess;
import org.segno.memory.ReceptionCounter;
import org.segno.memory.Window;
import org.segno.operation.Message;
import org.segno.operation.OperationAccess;
import org.segno.status.PeerFailedException;
import org.segno.status.Refusal;
import org.segno.status.RefusedException;
import org.segno.status.SegnoException;
import org.segno.status.Status;

/**
 * Long messages that were announced and have no result yet. Used by one thread.
 *
 * <p>The receiver's engine puts the result into the slot's word, so it needs no room in a lane. The low half of the
 * word is the ticket of the announcement, the high half is zero or the code of a {@link Refusal}. A receiver without a
 * messenger writes the word by an atomic swap.
 */
final class RendezvousSends {
    /** Limit of long messages of the application in progress. */
    static final int SLOTS = 64;

    /** Limit of long replies of handlers in progress. Their slots follow those of the application. */
    static final int REPLY_SLOTS = 16;

    /** Number of slots of a messenger. */
    static final int ALL_SLOTS = SLOTS + REPLY_SLOTS;

    private static final long UNCHECKED = -1;

    private final Context context;
    private final Window window;
    private final ReceptionCounter replies;
    private final ReadableWindows readable;
    private final Message announcement = new Message();
    private final int firstSlot;
    private final int slots;
    private final int[] tickets;
    private final int[] ranks;
    private final int[] targets;
    private final long[] lengths;
    private final @Nullable InjectionCounter[] counters;
    private final @Nullable Completion[] locals;
    private final @Nullable Completion[] remotes;
    private final boolean[] taken;
    private final boolean[] isRetired;
    private final long[] checkedChanges;
    private int underWay;

    /** Number of slots that are kept because a late result may still be written to them. Their messages have failed. */
    private int retired;

    private int nextTicket;

    private RendezvousSends(
            Context context, MessengerResources own, ReadableWindows readable, int firstSlot, int slots) {
        this.context = context;
        this.window = own.window();
        this.replies = own.replies();
        this.readable = readable;
        this.firstSlot = firstSlot;
        this.slots = slots;
        tickets = new int[slots];
        ranks = new int[slots];
        targets = new int[slots];
        lengths = new long[slots];
        counters = new InjectionCounter[slots];
        locals = new Completion[slots];
        remotes = new Completion[slots];
        taken = new boolean[slots];
        isRetired = new boolean[slots];
        checkedChanges = new long[slots];
    }

    /** Creates the messages of the application. */
    static RendezvousSends ofApplication(Context context, MessengerResources own, ReadableWindows readable) {
        return new RendezvousSends(context, own, readable, 0, SLOTS);
    }

    /** Creates the replies of handlers. */
    static RendezvousSends ofHandlers(Context context, MessengerResources own, ReadableWindows readable) {
        return new RendezvousSends(context, own, readable, SLOTS, REPLY_SLOTS);
    }

    boolean isEmpty() {
        return underWay == 0;
    }

    /** Announces a message; returns as {@link Context#send} does. */
    long announce(Message message, Window payload, @Nullable Completion local, @Nullable Completion remote) {
        if (retired != 0) {
            freeRetired();
        }
        if (underWay + retired == slots) {
            return Status.BACK_PRESSURED;
        }
        final ReceptionCounter source = readable.counter(payload);
        int slot = 0;
        while (taken[slot]) {
            slot++;
        }
        // Tickets are never zero, because zero marks a pending result.
        nextTicket = nextTicket == Integer.MAX_VALUE ? 1 : nextTicket + 1;
        final int ofWindow = firstSlot + slot;
        final int at = MessengerResources.ANNOUNCEMENTS_OFFSET + ofWindow * Announcement.LENGTH;
        window.buffer().putLong(ofWindow * Long.BYTES, 0);
        Announcement.put(window.buffer(), at, OperationAccess.dispatchId(message), ofWindow, nextTicket);
        Announcement.putSource(
                window.buffer(),
                at,
                source.id(),
                source.incarnation(),
                OperationAccess.offset(message),
                message.length());
        Announcement.putReplyCounter(window.buffer(), at, replies.id(), replies.incarnation());
        OperationAccess.like(announcement, message, Announcement.DISPATCH_ID).payload(window, at, Announcement.LENGTH);
        final long position = context.send(announcement);
        if (position >= 0) {
            taken[slot] = true;
            tickets[slot] = nextTicket;
            ranks[slot] = OperationAccess.rank(message);
            targets[slot] = ContextAccess.target(context, message);
            lengths[slot] = message.length();
            counters[slot] = OperationAccess.injectionCounter(message);
            locals[slot] = local;
            remotes[slot] = remote;
            // The receiver may already be gone.
            checkedChanges[slot] = UNCHECKED;
            underWay++;
        }
        return position;
    }

    /**
     * Completes the messages that have a result, fails those to a rank that is gone, and returns the number of both.
     */
    int poll() {
        final long changes = ContextAccess.peerChanges(context);
        int ended = 0;
        for (int slot = 0; slot < slots; slot++) {
            if (taken[slot] && !isRetired[slot] && poll(slot, changes)) {
                ended++;
            }
        }
        return ended;
    }

    private boolean poll(int slot, long changes) {
        final long reply = window.buffer().getLongVolatile((firstSlot + slot) * Long.BYTES);
        if (Announcement.replyTicket(reply) == tickets[slot]) {
            final int code = Announcement.code(reply);
            end(slot, code, code == 0 ? null : refused(ranks[slot], code));
            return true;
        }
        final boolean changed = checkedChanges[slot] != changes;
        if (changed || !ContextAccess.isAdmitted(context, ranks[slot], targets[slot])) {
            checkedChanges[slot] = changes;
            final SegnoException failure = ContextAccess.failure(context, ranks[slot], targets[slot]);
            if (failure != null) {
                if (!isOver(slot)) {
                    // Before its end, in which a completion may send the next message.
                    retire(slot);
                }
                end(slot, lost(failure).code(), failure);
                return true;
            }
        }
        return false;
    }

    /** Returns true if no result of the message in a slot comes any more. */
    private boolean isOver(int slot) {
        return context.failure(ranks[slot]) != null || ContextAccess.isOver(context, ranks[slot], targets[slot]);
    }

    /**
     * Keeps the slot of a message that has ended because the client there is being closed. The engine there may still
     * carry out a result, which would be taken for that of the next message in the slot.
     */
    private void retire(int slot) {
        isRetired[slot] = true;
        retired++;
    }

    /** Frees the kept slots to which a result was written, or to which none can be written any more. */
    private void freeRetired() {
        for (int slot = 0; slot < slots; slot++) {
            final long reply = window.buffer().getLongVolatile((firstSlot + slot) * Long.BYTES);
            if (isRetired[slot] && (Announcement.replyTicket(reply) == tickets[slot] || isOver(slot))) {
                taken[slot] = false;
                isRetired[slot] = false;
                retired--;
            }
        }
    }

    private static Refusal lost(SegnoException failure) {
        if (failure instanceof RefusedException) {
            return Refusal.STALE_CONTEXT;
        }
        return failure instanceof PeerFailedException ? Refusal.PEER_DEAD : Refusal.PEER_LEFT;
    }

    private static SegnoException refused(int rank, int code) {
        return new RefusedException(rank, "rank " + rank + " did not accept the message: " + Refusal.reason(code));
    }

    private void end(int slot, int code, @Nullable SegnoException failure) {
        final InjectionCounter counter = counters[slot];
        final Completion local = locals[slot];
        final Completion remote = remotes[slot];
        counters[slot] = null;
        locals[slot] = null;
        remotes[slot] = null;
        taken[slot] = isRetired[slot];
        underWay--;
        if (counter != null && code == 0) {
            MemoryAccess.fetched(counter, lengths[slot]);
        } else if (counter != null) {
            MemoryAccess.refused(counter, code, ranks[slot]);
        }
        Completions.run(local, remote, failure);
    }
}
