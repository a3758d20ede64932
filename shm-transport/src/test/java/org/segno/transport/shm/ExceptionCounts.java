package org.segno.transport.shm;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.segno.status.SegnoException;

/** Exceptions of the steps of a rank, one entry for each kind and place, with the number of them. */
final class ExceptionCounts {
    static final String CLEAR = "thrown ";

    /** Begins a line about an exception that the API does not document: its message does not help its user. */
    static final String UNCLEAR = "unclear ";

    private static final int PLACE_FRAMES = 3;

    private final Map<String, Throwable> first = new LinkedHashMap<>();
    private final Map<String, Integer> counts = new LinkedHashMap<>();

    void add(String step, Throwable failure) {
        final StackTraceElement[] frames = failure.getStackTrace();
        final String key = step
                + ' '
                + failure.getClass().getName()
                + List.of(frames).subList(0, Math.min(PLACE_FRAMES, frames.length));
        first.putIfAbsent(key, failure);
        counts.merge(key, 1, Integer::sum);
    }

    List<String> lines() {
        return first.entrySet().stream()
                .map(entry -> (isClear(entry.getValue()) ? CLEAR : UNCLEAR) + counts.get(entry.getKey()) + " times in "
                        + entry.getKey().substring(0, entry.getKey().indexOf(' ')) + ": "
                        + ScenarioMain.failure(entry.getValue()))
                .toList();
    }

    /** True for exceptions of the engine, and for checked states and arguments. */
    private static boolean isClear(Throwable failure) {
        final StackTraceElement[] frames = failure.getStackTrace();
        return failure.getMessage() != null
                && (failure instanceof SegnoException
                        || ((failure.getClass() == IllegalStateException.class
                                        || failure.getClass() == IllegalArgumentException.class)
                                && frames.length != 0
                                && frames[0].getClassName().startsWith("org.segno.")));
    }
}
