package org.segno.engine.memory;

import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Table by rank. Its memory grows with the number of entries: the first ranks of a job lie in one array, all others in
 * pages that are made with their first entry.
 *
 * <p>One thread at a time adds entries. Others may read meanwhile; they find an entry whole or not at all if its fields
 * are final.
 *
 * @param <T> type of the entries
 */
public final class RankTable<T> {
    private static final int NEAR = 256;
    private static final int PAGE = 64;

    private final int size;
    private final @Nullable Object[] near;

    /** Pages by rank, none before the first entry that needs one. */
    private @Nullable Object[] @Nullable [] pages = {};

    /** Creates an empty table for ranks below {@code size}. */
    public RankTable(int size) {
        this.size = size;
        this.near = new Object[Math.min(size, NEAR)];
    }

    /** Returns a table with the entries of an array. */
    public static <T> RankTable<T> of(@Nullable T[] entries) {
        final RankTable<T> table = new RankTable<>(entries.length);
        for (int rank = 0; rank < entries.length; rank++) {
            final T entry = entries[rank];
            if (entry != null) {
                table.set(rank, entry);
            }
        }
        return table;
    }

    /** Returns the number of ranks. */
    public int size() {
        return size;
    }

    /** Returns the entry of a rank, which is from 0 to below {@link #size}, or null. */
    public @Nullable T get(int rank) {
        return cast(rank < near.length ? near[rank] : far(rank - near.length));
    }

    private @Nullable Object far(int index) {
        final @Nullable Object[] @Nullable [] known = pages;
        final @Nullable Object[] page = index / PAGE < known.length ? known[index / PAGE] : null;
        return page == null ? null : page[index % PAGE];
    }

    /** Sets the entry of a rank. */
    public void set(int rank, T entry) {
        if (rank < near.length) {
            near[rank] = entry;
            return;
        }
        if (pages.length == 0) {
            pages = new Object[(size - near.length + PAGE - 1) / PAGE][];
        }
        final int index = rank - near.length;
        @Nullable Object[] page = pages[index / PAGE];
        if (page == null) {
            page = new Object[PAGE];
            pages[index / PAGE] = page;
        }
        page[index % PAGE] = entry;
    }

    /** Passes every entry, in ascending order of the ranks. */
    public void forEach(Consumer<T> action) {
        for (int rank = 0; rank < near.length; rank++) {
            pass(near[rank], action);
        }
        for (final @Nullable Object[] page : pages) {
            for (int i = 0; page != null && i < PAGE; i++) {
                pass(page[i], action);
            }
        }
    }

    private void pass(@Nullable Object entry, Consumer<T> action) {
        final T found = cast(entry);
        if (found != null) {
            action.accept(found);
        }
    }

    @SuppressWarnings("unchecked") // Only entries are stored.
    private @Nullable T cast(@Nullable Object entry) {
        return (T) entry;
    }
}
