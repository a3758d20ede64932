package org.segno.tools.output;

/** Formats of data on standard output. */
public enum Format {
    /** Aligned columns, for people. */
    TABLE,

    /** Comma-separated values. Each table begins with a line of names; an empty line separates two tables. */
    CSV,

    /** One object. */
    JSON,

    /** One object per line: first the report's fields, then its rows. */
    NDJSON
}
