package org.segno.tools.doctor;

import java.util.List;

/** Looks at one side of a host. */
interface Check {
    /** What it finds, for a job as planned. */
    List<Finding> look(Host host, Plan plan);
}
