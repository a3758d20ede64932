/**
 * Reuse of ids and memory: nothing that a peer's engine may still write is reused before every engine is quiet.
 *
 * <p>Uses {@code memory} and {@code counter}. Used by the engines of {@code dma}, which count their quiet points, by
 * {@code pattern}, which pins the objects that it uses, and by {@code context}, where windows and counters are closed.
 */
@NullMarked
package org.segno.reuse;

import org.jspecify.annotations.NullMarked;
