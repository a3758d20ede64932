package org.segno.tools.doctor;

import java.util.List;

/** A check of one aspect of a host. */
interface Check {
    /** Returns the findings for a planned job. */
    List<Finding> look(Host host, CheckedJob job);
}
