/**
 * The launcher's side of other hosts: one remote shell per host runs the agent that starts the ranks there, and each
 * rank is supervised as one of this host is.
 */
@NullMarked
package org.segno.tools.run.remote;

import org.jspecify.annotations.NullMarked;
