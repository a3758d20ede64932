package org.segno.tools.journal;

import org.segno.engine.trace.TraceRecord;

/** Kind of a record of a journal. */
public enum RecordKind {
    /** Descriptors that an engine has carried out, in the order of their positions in one FIFO. */
    DESCRIPTORS(TraceRecord.DESCRIPTORS),

    /** One descriptor that an engine has refused. */
    REFUSED(TraceRecord.REFUSED),

    /** Descriptors of a pattern, once before the first replay after each recording. */
    SECTION(TraceRecord.SECTION),

    /** One executed round of a pattern. */
    ROUND(TraceRecord.ROUND),

    /** Operations that a peer has refused after their descriptors had been carried out. */
    LATE_REFUSAL(TraceRecord.LATE_REFUSAL),

    /** Records that are missing here, because the recorder was too slow. */
    LOST(TraceRecord.LOST),

    /** Bytes that a descriptor has moved, or a part of them; or metadata of its message that lay in memory. */
    PAYLOAD(TraceRecord.PAYLOAD),

    /** The last record of a rank that has closed its node. */
    END(JournalFormat.END);

    private final int code;

    RecordKind(int code) {
        this.code = code;
    }

    /** Returns the kind of a code, which a check has found to be one. */
    static RecordKind of(int code) {
        for (final RecordKind kind : values()) {
            if (kind.code == code) {
                return kind;
            }
        }
        throw new IllegalArgumentException("no kind of a record: " + code);
    }
}
