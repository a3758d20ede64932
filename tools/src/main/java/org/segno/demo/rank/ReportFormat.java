package org.segno.demo.rank;

import java.util.Locale;

/** Formats of a demo's report. */
public enum ReportFormat {
    /** Lines for people. */
    TABLE,

    /** One object. */
    JSON;

    /** Returns the option that selects this format. */
    public String toArgument() {
        return "--format=" + name().toLowerCase(Locale.ROOT);
    }
}
