/**
 * Rings and counters under a model checker: every interleaving of a few operations, on heap memory behind the engine's
 * memory interface.
 */
@NullMarked
package org.segno.engine.model;

import org.jspecify.annotations.NullMarked;
