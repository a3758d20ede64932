package org.segno.metrics;

import java.nio.charset.StandardCharsets;
import org.agrona.concurrent.SystemEpochClock;
import org.agrona.concurrent.errors.DistinctErrorLog;
import org.agrona.concurrent.errors.ErrorLogReader;
import org.segno.memory.NodeLayout;
import org.segno.memory.NodeLayout.Part;
import org.segno.memory.NodeMemory;

/**
 * The distinct errors of a node, in its mapped file; each new kind also goes once to {@link System.Logger}. Any thread.
 */
public final class ErrorLog {
    private static final System.Logger LOGGER = System.getLogger("org.segno");

    private final DistinctErrorLog log;
    private final int rank;

    public ErrorLog(NodeMemory node) {
        this.rank = node.rank();
        this.log = new DistinctErrorLog(
                node.owner().buffer(node.layout().offset(Part.ERROR_LOG), NodeLayout.ERROR_LOG_LENGTH),
                SystemEpochClock.INSTANCE,
                StandardCharsets.UTF_8);
    }

    /** Records an error; one that is known already is only counted. */
    public void record(Throwable error) {
        log.record(error);
        LOGGER.log(System.Logger.Level.WARNING, "rank " + rank + ": " + error.getMessage(), error);
    }

    /** How many distinct errors a node has recorded, as its owner or a peer sees it. */
    public static int count(NodeMemory node) {
        return ErrorLogReader.read(
                node.owner().buffer(node.layout().offset(Part.ERROR_LOG), NodeLayout.ERROR_LOG_LENGTH),
                (observations, first, last, encoded) -> {});
    }
}
