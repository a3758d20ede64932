package org.segno.tools.inspect;

import java.util.Locale;
import org.jspecify.annotations.Nullable;
import org.segno.tools.CommandException;
import org.segno.tools.ExitCode;

/**
 * What of a topic somebody wants to see.
 *
 * @param id one FIFO, counter, region, pattern or error; null for all that are in use
 * @param from the first position, slot or byte; null for where the topic begins
 * @param limit entries of each list at most; 0 for all
 * @param hex values as they lie in memory
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

    /** How many of {@code count} entries are shown. */
    long shown(long count) {
        return limit == 0 ? count : Math.min(limit, count);
    }

    /** What is said of those that are not shown; empty if all are. */
    String more(long count) {
        final long hidden = count - shown(count);
        return hidden <= 0 ? "" : String.format(Locale.ROOT, "…%,d more (--limit 0 for all)", hidden);
    }

    /** What is asked for is not there. */
    static CommandException nothing(String what) {
        return new CommandException(ExitCode.NOTHING_THERE, what);
    }
}
