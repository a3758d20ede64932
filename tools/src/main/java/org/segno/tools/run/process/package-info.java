/**
 * The processes of a job's ranks: their start, output and exit, reported as events.
 *
 * <p>Uses {@code run.plan}. The supervision in {@code run.job} takes the events and decides.
 */
@NullMarked
package org.segno.tools.run.process;

import org.jspecify.annotations.NullMarked;
