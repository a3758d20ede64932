package org.segno.tools.demo.rank;

import java.util.Locale;

/** How a demo's report is written. */
public enum ReportFormat {
    /** For people. */
    TABLE,

    /** One object. */
    JSON;

    /** The option that asks for it. */
    public String toArgument() {
        return "--format=" + name().toLowerCase(Locale.ROOT);
    }
}
