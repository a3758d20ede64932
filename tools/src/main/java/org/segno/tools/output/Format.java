package org.segno.tools.output;

/** How data are written. */
public enum Format {
    /** For people. */
    TABLE,

    /** Comma-separated values, each table with a line of names; an empty line between two tables. */
    CSV,

    /** One object. */
    JSON,

    /** One object per line: first what the report is about, then its rows. */
    NDJSON
}
