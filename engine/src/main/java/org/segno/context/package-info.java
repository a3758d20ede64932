/**
 * The application half of a node: inject, advance, wait, record and replay.
 *
 * <p>Knows {@code operation}, {@code work}, {@code pattern}, {@code dispatch}, {@code fifo}, {@code counter}, {@code descriptor} and
 * {@code memory}; never the engine: in INVOKER threading {@code node} hands it an invoker, and that is all it knows.
 */
@NullMarked
package org.segno.context;

import org.jspecify.annotations.NullMarked;
