package org.segno.tools.journal;

/**
 * Exception of a journal that cannot be read: none is there, or it is of another version or byte order. Its message
 * names the file and the reason.
 */
public final class JournalException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    private final boolean isMissing;

    private JournalException(boolean isMissing, String message) {
        super(message);
        this.isMissing = isMissing;
    }

    /** Returns the exception for a journal that does not exist. */
    static JournalException missing(String message) {
        return new JournalException(true, message);
    }

    /** Returns the exception for a journal that this version cannot read. */
    static JournalException unfit(String message) {
        return new JournalException(false, message);
    }

    /** Returns true if there is no journal, false if there is one that cannot be read. */
    public boolean isMissing() {
        return isMissing;
    }
}
