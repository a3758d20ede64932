/**
 * Simulated weak memory below the real engine. The requested orderings take effect, and everything else is as
 * disorderly as the Java memory model permits, chosen by a seed.
 *
 * <p>{@link org.segno.engine.weak.WeakModel} decides which values a load may see. {@link
 * org.segno.engine.weak.Interleaving} chooses the thread that runs next, and {@link org.segno.engine.weak.WeakNodes}
 * assembles two nodes over the model. A {@link org.segno.engine.weak.Workload} defines their threads' operations; a
 * test of a new operation uses it in a workload.
 */
@NullMarked
package org.segno.engine.weak;

import org.jspecify.annotations.NullMarked;
