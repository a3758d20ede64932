package org.segno.engine.metrics;

import org.segno.status.Refusal;

/**
 * The monotonic counts of a node. Those of the engine and those of the application have one writer each and are 2,048
 * bytes apart. A node counts its own operations, whatever joins it to their targets: bytes, records and hits once they
 * have landed at the target, and refusals wherever they are found.
 *
 * <pre>
 *  offset   written by    counts
 *       0   engine        this enum's engine counts in order
 *    1024   engine        one count per {@link Refusal}, in the order of their codes
 *    2048   application   this enum's application counts in order; the word of REPLAYS counts only rounds without an
 *                         entry in a run ring; the tail of each persistent FIFO counts the entries of its ring
 *    3072   application   bytes and records of loans that lie in lanes, which are parts of BYTES and RECORDS
 *    4096   METRICS_LENGTH
 * </pre>
 */
public enum Metric {
    DESCRIPTORS(0, "descriptors carried out, refused ones too"),
    BYTES(8, "bytes that operations of this node have landed"),
    RECORDS(16, "records that operations of this node have published into lanes"),
    BLOCKED(24, "visits to a FIFO that ended for want of room at a target"),
    HITS(32, "counters that operations of this node have brought from above zero to zero or below"),
    RINGS(40, "parked ranks woken by this node's engine"),
    FAILED_RINGS(48, "parked ranks that could not be woken and that noticed the arrival at the end of their park"),
    RECEIVED(2048, "messages handed to handlers"),
    UNKNOWN_DISPATCH(2056, "messages for which no handler was registered"),
    QUARANTINED_LANES(2064, "lanes with an impossible record"),
    REPLAYS(Metric.DIRECT_REPLAYS_OFFSET, "rounds started by replay"),
    DROPPED(2080, "messages that a closed client had not handled"),
    PARKS(2088, "parks of waits that a peer's message ends");

    static final int BYTES_OFFSET = 8;
    static final int RECORDS_OFFSET = 16;
    static final int DIRECT_REPLAYS_OFFSET = 2072;
    static final int LENT_BYTES_OFFSET = 3072;
    static final int LENT_RECORDS_OFFSET = 3080;

    private static final int REFUSALS_OFFSET = 1024;

    private final int offset;
    private final String meaning;

    Metric(int offset, String meaning) {
        this.offset = offset;
        this.meaning = meaning;
    }

    /** Returns a description of the counted events. */
    public String meaning() {
        return meaning;
    }

    /** Returns the offset in the metrics part. */
    int offset() {
        return offset;
    }

    static int offset(Refusal refusal) {
        return REFUSALS_OFFSET + (Refusal.UNKNOWN_OPERATION.code() - refusal.code()) * Long.BYTES;
    }
}
