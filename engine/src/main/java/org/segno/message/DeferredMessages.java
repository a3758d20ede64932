package org.segno.message;

import java.util.concurrent.atomic.AtomicInteger;
import org.agrona.DirectBuffer;
import org.agrona.collections.LongHashSet;
import org.agrona.concurrent.UnsafeBuffer;
import org.jspecify.annotations.Nullable;
import org.segno.context.Client;
import org.segno.context.Context;
import org.segno.context.ContextAccess;
import org.segno.engine.dispatch.Announcement;
import org.segno.memory.Window;
import org.segno.status.Refusal;
import org.segno.status.SegnoException;

/**
 * Announced messages that a handler has deferred, until they are accepted or declined and one of the
 * {@link RendezvousReceives} is free for them. Those of a rank that has died or left are removed. Used by one thread.
 *
 * <pre>
 *  token  bits      meaning
 *         0 to 15   rank of the sender, so that its end is known also of a message that was removed
 *         16 to 31  slot
 *         32 to 62  sequence number, unique in the process, so that tokens of other messengers are refused
 * </pre>
 */
final class DeferredMessages {
    private static final AtomicInteger SEQUENCE = new AtomicInteger();
    private static final int SHORT_MASK = 0xFFFF;
    private static final long UNCHECKED = -1;

    private final Context context;
    private final int limit;
    private final UnsafeBuffer announcements;

    /** Tokens by slot; zero for a free slot. */
    private final long[] tokens;

    /**
     * Tokens of removed messages whose sender has died or left, until the program accepts or declines them. A removed
     * message has no slot any more: later messages use it, and may be removed, too.
     */
    private final LongHashSet lost = new LongHashSet();

    private final LandingPlace[] places;
    private final int[] refusals;
    private final boolean[] isDecided;
    private final int[] free;
    private final int[] decided;
    private int freeCount;
    private long firstDecided;
    private long endDecided;
    private long checkedChanges;

    /** Creates room for {@code limit} messages. */
    DeferredMessages(Client client, Context context, int limit) {
        this.context = context;
        this.limit = limit;
        announcements = new UnsafeBuffer(new byte[limit * Announcement.LENGTH]);
        tokens = new long[limit];
        places = new LandingPlace[limit];
        refusals = new int[limit];
        isDecided = new boolean[limit];
        free = new int[limit];
        decided = new int[limit];
        for (int slot = limit - 1; slot >= 0; slot--) {
            places[slot] = new LandingPlace(client);
            free[freeCount++] = slot;
        }
    }

    boolean hasRoom() {
        return freeCount > 0;
    }

    boolean isEmpty() {
        return freeCount == limit;
    }

    /** Returns the number of messages. */
    int count() {
        return limit - freeCount;
    }

    /** Returns the token of the next message to be added, which {@code rank} sent; {@link #hasRoom} must be true. */
    long nextToken(int rank) {
        final long sequence = 1L + Math.floorMod(SEQUENCE.getAndIncrement(), Integer.MAX_VALUE);
        return (sequence << Integer.SIZE) | ((long) free[freeCount - 1] << Short.SIZE) | (rank & SHORT_MASK);
    }

    /** Adds the announcement at {@code at} under its token. */
    void add(long token, DirectBuffer buffer, int at) {
        final int slot = slot(token);
        take(slot);
        announcements.putBytes(slot * Announcement.LENGTH, buffer, at, Announcement.LENGTH);
        tokens[slot] = token;
        // The sender may already be gone.
        checkedChanges = UNCHECKED;
    }

    /** Takes a slot out of the free ones: above it are those that the handler has freed since the token was given. */
    private void take(int slot) {
        int i = freeCount - 1;
        while (free[i] != slot) {
            i--;
        }
        free[i] = free[--freeCount];
    }

    private static int slot(long token) {
        return (int) (token >>> Short.SIZE) & SHORT_MASK;
    }

    private static int rank(long token) {
        return (int) token & SHORT_MASK;
    }

    /**
     * Returns null if the message of a token waits for a decision, or the failure of its sender, which ends it.
     *
     * @throws IllegalArgumentException if there is no such message
     */
    @Nullable
    SegnoException failure(long token) {
        final int slot = slot(token);
        final boolean isKnown = token > 0 && slot < limit && tokens[slot] == token;
        final boolean isLost = lost.contains(token);
        if (isKnown ? isDecided[slot] : !isLost) {
            throw new IllegalArgumentException("no message is deferred under this token: it was accepted or declined"
                    + " before, its handler has not returned it, or it is of another messenger: token=" + token);
        }
        final SegnoException failure = context.failure(rank(token));
        if (isLost) {
            lost.remove(token);
        } else if (failure != null) {
            release(slot);
        }
        return failure;
    }

    /** Accepts the message of a token for which {@link #failure} has returned null. */
    void accept(long token, Window window, long offset, Completion landed) {
        final int slot = slot(token);
        final long length = Announcement.length(announcements, slot * Announcement.LENGTH);
        places[slot].set(window, offset, length, landed);
        decide(slot, 0);
    }

    /** Declines the message of a token for which {@link #failure} has returned null. */
    void decline(long token) {
        decide(slot(token), Refusal.DECLINED.code());
    }

    private void decide(int slot, int refusal) {
        isDecided[slot] = true;
        refusals[slot] = refusal;
        decided[(int) (endDecided++ % limit)] = slot;
    }

    private void release(int slot) {
        tokens[slot] = 0;
        isDecided[slot] = false;
        places[slot].clear();
        free[freeCount++] = slot;
    }

    /**
     * Removes the messages of senders that are gone, starts accepted and declined ones in the order of these calls, and
     * returns the number of both.
     */
    int poll(RendezvousReceives receives) {
        int done = removeLost();
        while (firstDecided != endDecided && receives.hasRoom()) {
            final int slot = decided[(int) (firstDecided++ % limit)];
            receives.begin(rank(tokens[slot]), announcements, slot * Announcement.LENGTH, places[slot], refusals[slot]);
            release(slot);
            done++;
        }
        return done;
    }

    private int removeLost() {
        final long changes = ContextAccess.peerChanges(context);
        if (checkedChanges == changes) {
            return 0;
        }
        checkedChanges = changes;
        int removed = 0;
        for (int slot = 0; slot < limit; slot++) {
            // The fetch of an accepted message reports the failure to its completion.
            if (tokens[slot] != 0 && !isDecided[slot] && context.failure(rank(tokens[slot])) != null) {
                lost.add(tokens[slot]);
                release(slot);
                removed++;
            }
        }
        return removed;
    }
}
