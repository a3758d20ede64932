package org.segno.engine.weak;

import java.util.Arrays;
import java.util.SplittableRandom;
import org.jspecify.annotations.Nullable;

/** Log of one thread's accesses in a run; finds stores that could have been made earlier. */
final class AccessLog {
    private static final int TRIES = 20;

    /** Number of accesses after an unordered one among which a store is selected. */
    private static final int FOLLOWING = 48;

    /** Largest number of accesses that a store overtakes. */
    private static final int FARTHEST = 3000;

    private static final int[] DISTANCES = {8, 8, 200, FARTHEST};

    private int count;
    private boolean isWeakened;
    private Access[] accesses = new Access[256];
    private boolean[] weakened = new boolean[256];
    private long[] keys = new long[256];
    private byte[] masks = new byte[256];
    private long[] values = new long[256];

    /** Returns the number of accesses so far. */
    int count() {
        return count;
    }

    /** Counts an access, and keeps it if {@code keep}. */
    void add(boolean keep, Access access, boolean isWeakened, long key, int mask, long value) {
        if (keep) {
            this.isWeakened |= isWeakened;
            if (count == accesses.length) {
                grow();
            }
            accesses[count] = access;
            weakened[count] = isWeakened;
            keys[count] = key;
            masks[count] = (byte) mask;
            values[count] = value;
        }
        count++;
    }

    /** Returns true if an ordering that this thread requests was removed. */
    boolean isWeakened() {
        return isWeakened;
    }

    private void grow() {
        final int length = 2 * count;
        accesses = Arrays.copyOf(accesses, length);
        weakened = Arrays.copyOf(weakened, length);
        keys = Arrays.copyOf(keys, length);
        masks = Arrays.copyOf(masks, length);
        values = Arrays.copyOf(values, length);
    }

    /**
     * Returns a random store of this thread that may be made early, or null. Prefers stores near an access that has
     * lost its order.
     */
    @Nullable
    EarlyStore choose(int thread, SplittableRandom chance) {
        for (int i = 0; i < TRIES && count > 1; i++) {
            final int near = i < TRIES / 2 ? weakenedBefore(chance.nextInt(count)) : chance.nextInt(count);
            final EarlyStore hoist = near < 0 ? null : after(thread, near, chance);
            if (hoist != null) {
                return hoist;
            }
        }
        return null;
    }

    private int weakenedBefore(int from) {
        int index = from;
        while (index >= 0 && !weakened[index]) {
            index--;
        }
        return index;
    }

    /**
     * Returns the access itself if it may be made early, else a later one: made before the access, or before those that
     * lead to it.
     */
    private @Nullable EarlyStore after(int thread, int near, SplittableRandom chance) {
        int due = near;
        if (!isMovable(near)) {
            due += 1 + chance.nextInt(FOLLOWING);
            while (due < count && !isMovable(due)) {
                due++;
            }
        }
        if (due >= count) {
            return null;
        }
        int earliest = due;
        while (earliest > 0 && due - earliest < FARTHEST && !holds(earliest - 1, keys[due])) {
            earliest--;
        }
        final int latest = Math.min(due - 1, near);
        if (earliest > latest) {
            return null;
        }
        final int early =
                latest - Math.min(latest - earliest, chance.nextInt(DISTANCES[chance.nextInt(DISTANCES.length)]));
        return new EarlyStore(thread, early, due, accesses[due], keys[due], masks[due] & 0xFF, values[due]);
    }

    private boolean isMovable(int index) {
        return accesses[index].writes && !accesses[index].releases;
    }

    /** Returns true if no later access may be made before the access. */
    private boolean holds(int index, long key) {
        return accesses[index] == Access.ATOMIC || accesses[index] == Access.FENCE || keys[index] == key;
    }
}
