/**
 * The records of a node file as {@code inspect} reads them: their words and writers, rows of them, and what cannot be.
 *
 * <p>Knows the engine's flyweights and {@code output}; known by the topics.
 */
@NullMarked
package org.segno.tools.inspect.record;

import org.jspecify.annotations.NullMarked;
