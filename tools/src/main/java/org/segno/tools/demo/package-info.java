/**
 * {@code segno demo}: real programs on Segno, each checked against one process, each printing what replay saves.
 *
 * <p>Knows {@code run}, which starts the ranks.
 */
@NullMarked
package org.segno.tools.demo;

import org.jspecify.annotations.NullMarked;
