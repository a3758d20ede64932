/**
 * Giving ids and memory out again: nothing that a peer's engine may still write gets another owner before every engine is quiet.
 *
 * <p>Knows {@code memory} and {@code counter}. Known by {@code dma}, whose engines count their quiet points, by {@code pattern}, which
 * pins what it names, and by {@code context}, where windows and counters are closed.
 */
@NullMarked
package org.segno.reuse;

import org.jspecify.annotations.NullMarked;
