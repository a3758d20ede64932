/**
 * The plan of a job: its programs and settings, the commands of its ranks, and the checks that its hosts can run it.
 *
 * <p>Nothing here starts a process or creates a file.
 */
@NullMarked
package org.segno.tools.run.plan;

import org.jspecify.annotations.NullMarked;
