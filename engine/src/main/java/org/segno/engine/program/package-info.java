/**
 * Ranks as threads of one process, for {@code segno run --as threads}.
 *
 * <p>Loads a {@link org.segno.node.RankMain} and runs it once for each rank.
 */
@NullMarked
package org.segno.engine.program;

import org.jspecify.annotations.NullMarked;
