/**
 * The launcher: starts the ranks of a job on this host, watches them, and answers with the exit code of the contract.
 *
 * <p>{@link org.segno.tools.run.Launcher} runs a {@link org.segno.tools.run.LaunchPlan}; {@code segno run} makes one
 * from its command line, demos make their own. Knows {@code org.segno.node} for the job's directory and hub.
 */
@NullMarked
package org.segno.tools.run;

import org.jspecify.annotations.NullMarked;
