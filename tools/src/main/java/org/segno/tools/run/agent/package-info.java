/**
 * The agent of the launcher on another host: starts the ranks of that host, passes their streams and exits to the
 * launcher, and ends them when the launcher is gone.
 *
 * <p>The package depends on {@code org.segno.engine.job} for the job's directory and the hub of the host.
 */
@NullMarked
package org.segno.tools.run.agent;

import org.jspecify.annotations.NullMarked;
