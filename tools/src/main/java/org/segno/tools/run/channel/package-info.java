/**
 * The channel between the launcher and the agent of another host: its frames, and the specification of the ranks that
 * the agent starts.
 */
@NullMarked
package org.segno.tools.run.channel;

import org.jspecify.annotations.NullMarked;
