/**
 * The launcher: starts the ranks of a job on this host and the agents of other hosts, supervises all ranks, and returns
 * the exit code of the contract.
 *
 * <p>The package depends on {@code org.segno.engine.job} for the job's directory and hub.
 */
@NullMarked
package org.segno.tools.run.job;

import org.jspecify.annotations.NullMarked;
