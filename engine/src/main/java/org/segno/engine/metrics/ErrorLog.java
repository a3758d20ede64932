package org.segno.engine.metrics;

import java.nio.charset.StandardCharsets;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.agrona.concurrent.SystemEpochClock;
import org.agrona.concurrent.errors.DistinctErrorLog;
import org.agrona.concurrent.errors.ErrorLogReader;
import org.segno.engine.memory.NodeLayout;
import org.segno.engine.memory.NodeLayout.Part;
import org.segno.engine.memory.NodeMemory;
import org.segno.status.RefusedException;

/**
 * Log of the distinct errors of a node, in its mapped file. Each new kind also goes once to {@link System.Logger}.
 * Usable from any thread.
 */
public final class ErrorLog {
    private static final System.Logger LOGGER = System.getLogger("org.segno");

    /** Maximum number of kinds that go to the logger, so that errors that always differ do not fill a disk. */
    private static final int LOGGED_LIMIT = 64;

    /** The same for refusals. There may be one for each rank of a large job. */
    private static final int LOGGED_REFUSALS = 16;

    private final Set<String> logged = ConcurrentHashMap.newKeySet();
    private final Set<String> loggedRefusals = ConcurrentHashMap.newKeySet();
    private final DistinctErrorLog log;
    private final int rank;
    private final boolean isSilent;

    public ErrorLog(NodeMemory node) {
        this(node, false);
    }

    /**
     * Creates the log of a node.
     *
     * @param isSilent true if errors are dropped: in simulations, which check the completions of all operations
     */
    public ErrorLog(NodeMemory node, boolean isSilent) {
        this.isSilent = isSilent;
        this.rank = node.rank();
        this.log = new DistinctErrorLog(
                node.owner().buffer(node.layout().offset(Part.ERROR_LOG), NodeLayout.ERROR_LOG_LENGTH),
                SystemEpochClock.INSTANCE,
                StandardCharsets.UTF_8);
    }

    /** Records an error. A repeated error is only counted. */
    public void record(Throwable error) {
        if (isSilent) {
            return;
        }
        log.record(error);
        if (error instanceof RefusedException) {
            // All come from the same few places: the text distinguishes them.
            log(loggedRefusals, LOGGED_REFUSALS, String.valueOf(error.getMessage()), error);
        } else {
            final StackTraceElement[] trace = error.getStackTrace();
            log(logged, LOGGED_LIMIT, error.getClass().getName() + (trace.length == 0 ? "" : trace[0]), error);
        }
    }

    private void log(Set<String> known, int limit, String kind, Throwable error) {
        if (known.size() >= limit || !known.add(kind)) {
            return;
        }
        LOGGER.log(System.Logger.Level.WARNING, "rank " + rank + ": " + error.getMessage(), error);
    }

    /** Returns the number of distinct errors that a node has recorded, for its owner or for a peer. */
    public static int count(NodeMemory node) {
        return ErrorLogReader.read(
                node.owner().buffer(node.layout().offset(Part.ERROR_LOG), NodeLayout.ERROR_LOG_LENGTH),
                (observations, first, last, encoded) -> {});
    }
}
