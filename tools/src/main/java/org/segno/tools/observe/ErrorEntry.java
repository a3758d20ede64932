package org.segno.tools.observe;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import org.agrona.BitUtil;
import org.agrona.concurrent.errors.DistinctErrorLog;
import org.segno.engine.memory.NodeLayout;
import org.segno.engine.memory.NodeLayout.Part;
import org.segno.engine.memory.NodeMemory;

/**
 * One distinct error of a node's error log.
 *
 * @param count number of observations
 * @param first time of the first observation
 * @param last time of the last observation
 * @param text exception with its stack trace
 */
public record ErrorEntry(int count, Instant first, Instant last, String text) {
    /**
     * Contents of an error log.
     *
     * @param entries in the order of their first observation, up to the first invalid record
     * @param damage description of the invalid record, or empty
     */
    public record Log(List<ErrorEntry> entries, String damage) {}

    /** Reads a node's log. The log is copied first and then checked, because nothing in it is trusted. */
    public static Log read(NodeMemory node) {
        final byte[] bytes = new byte[NodeLayout.ERROR_LOG_LENGTH];
        node.owner().buffer(node.layout().offset(Part.ERROR_LOG), bytes.length).getBytes(0, bytes);
        return parse(bytes);
    }

    static Log parse(byte[] bytes) {
        final ByteBuffer log = ByteBuffer.wrap(bytes).order(ByteOrder.nativeOrder());
        final List<ErrorEntry> entries = new ArrayList<>();
        int offset = 0;
        while (offset <= bytes.length - DistinctErrorLog.ENCODED_ERROR_OFFSET) {
            final int length = log.getInt(offset + DistinctErrorLog.LENGTH_OFFSET);
            if (length == 0) {
                break;
            }
            if (length < DistinctErrorLog.ENCODED_ERROR_OFFSET || length > bytes.length - offset) {
                return new Log(
                        entries,
                        "error log offset " + offset + ": record length " + length + " must be between "
                                + DistinctErrorLog.ENCODED_ERROR_OFFSET + " and " + (bytes.length - offset));
            }
            entries.add(new ErrorEntry(
                    log.getInt(offset + DistinctErrorLog.OBSERVATION_COUNT_OFFSET),
                    Instant.ofEpochMilli(log.getLong(offset + DistinctErrorLog.FIRST_OBSERVATION_TIMESTAMP_OFFSET)),
                    Instant.ofEpochMilli(log.getLong(offset + DistinctErrorLog.LAST_OBSERVATION_TIMESTAMP_OFFSET)),
                    new String(
                            bytes,
                            offset + DistinctErrorLog.ENCODED_ERROR_OFFSET,
                            length - DistinctErrorLog.ENCODED_ERROR_OFFSET,
                            StandardCharsets.UTF_8)));
            offset += BitUtil.align(length, DistinctErrorLog.RECORD_ALIGNMENT);
        }
        return new Log(entries, "");
    }

    /** Returns the first line of the text: the exception and its message. */
    public String headline() {
        return text.lines().findFirst().orElse("");
    }
}
