package org.segno.tools.journal.command;

import org.jspecify.annotations.Nullable;

/**
 * What a descriptor has moved, as far as the journal has it.
 *
 * @param payload null if the journal does not have it
 * @param metadata that lay in memory; null if the journal does not have them, or there were none
 */
@SuppressWarnings("ArrayRecordComponent") // Passed on, never compared.
record RecordedContent(byte @Nullable [] payload, byte @Nullable [] metadata) {
    /** Nothing is known. */
    static final RecordedContent UNKNOWN = new RecordedContent(null, null);
}
