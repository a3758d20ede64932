/**
 * The launcher: starts the ranks of a job on this host, watches them, and returns the exit code of the contract.
 *
 * <p>{@link org.segno.tools.run.Launcher} runs a {@link org.segno.tools.run.LaunchPlan}. {@code segno run} creates the
 * plan from its command line; demos create their own. The package depends on {@code org.segno.job} for the job's
 * directory and hub.
 */
@NullMarked
package org.segno.tools.run;

import org.jspecify.annotations.NullMarked;
