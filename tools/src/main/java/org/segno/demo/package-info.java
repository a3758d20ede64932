/**
 * {@code segno demo}: real programs on Segno, each checked against one process, each printing the time that replay
 * saves.
 *
 * <p>Uses {@code run}, which starts the ranks.
 */
@NullMarked
package org.segno.demo;

import org.jspecify.annotations.NullMarked;
