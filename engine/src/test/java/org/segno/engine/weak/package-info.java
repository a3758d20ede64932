/**
 * A simulated weak memory below the real engine: the orderings that the code asks for are honoured, and everything else
 * is as disorderly as the Java memory model allows, by a seed.
 *
 * <p>{@link org.segno.engine.weak.WeakModel} says which values a load may see, {@link
 * org.segno.engine.weak.Interleaving} who runs next, and {@link org.segno.engine.weak.WeakNodes} puts two nodes
 * together upon it. A {@link org.segno.engine.weak.Workload} is what their threads do; a new operation joins by being
 * used in one.
 */
@NullMarked
package org.segno.engine.weak;

import org.jspecify.annotations.NullMarked;
