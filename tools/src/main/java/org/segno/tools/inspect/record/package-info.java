/**
 * Records of a node file as {@code inspect} reads them: their words and writers, their rows, and their checks.
 *
 * <p>Uses the engine's flyweights and {@code output}; used by the topics.
 */
@NullMarked
package org.segno.tools.inspect.record;

import org.jspecify.annotations.NullMarked;
