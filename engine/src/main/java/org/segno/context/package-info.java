/**
 * The application half of a node: inject, advance, wait, record and replay.
 *
 * <p>Depends on {@code operation}, {@code work}, {@code pattern}, {@code dispatch}, {@code fifo}, {@code counter},
 * {@code descriptor} and {@code memory}, never on the engine. In INVOKER threading {@code node} passes it an invoker,
 * which is its only access to the engine.
 */
@NullMarked
package org.segno.context;

import org.jspecify.annotations.NullMarked;
