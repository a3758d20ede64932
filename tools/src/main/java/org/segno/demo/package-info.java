/**
 * {@code segno demo}: real programs on Segno, each checked against one process, each printing the time that replay
 * saves.
 *
 * <p>The commands start the ranks by {@code org.segno.tools.run}. The packages below use the engine by its public API.
 */
@NullMarked
package org.segno.demo;

import org.jspecify.annotations.NullMarked;
