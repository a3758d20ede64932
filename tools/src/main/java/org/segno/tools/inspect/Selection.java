package org.segno.tools.inspect;

import java.util.Locale;
import org.jspecify.annotations.Nullable;
import org.segno.tools.command.CommandException;
import org.segno.tools.command.ExitCode;

/**
 * Selection of a topic's entries.
 *
 * @param id one FIFO, counter, region, pattern or error; null for all in use
 * @param from the first position, slot or byte; null for the topic's default
 * @param limit maximum number of entries of each list; 0 for all
 * @param hex true to print values in hexadecimal
 */
record Selection(@Nullable Integer id, @Nullable Long from, int limit, boolean hex) {
    boolean admits(int some) {
        return id == null || id == some;
    }

    boolean hasId() {
        return id != null;
    }

    int idOr(int other) {
        return id == null ? other : id;
    }

    long fromOr(long start) {
        return from == null ? start : from;
    }

    /** Returns the number of {@code count} entries that are shown. */
    long shown(long count) {
        return limit == 0 ? count : Math.min(limit, count);
    }

    /** Returns the note on the entries that are not shown, or an empty string if all are. */
    String more(long count) {
        final long hidden = count - shown(count);
        return hidden <= 0 ? "" : String.format(Locale.ROOT, "…%,d more (--limit 0 for all)", hidden);
    }

    /** Returns the exception for a selection that does not exist. */
    static CommandException nothing(String what) {
        return new CommandException(ExitCode.NOTHING_THERE, what);
    }
}
