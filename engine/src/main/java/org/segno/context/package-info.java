/**
 * The application half of a node: inject, advance, wait, record and replay.
 *
 * <p>{@link org.segno.context.Context} and {@link org.segno.context.InjectionFifo} have the operations of
 * {@link org.segno.context.Injector}. The package never depends on {@code engine.dma}. Under INVOKER {@code node}
 * passes it the engine's pass as one function, which is its only access to the engine.
 */
@NullMarked
package org.segno.context;

import org.jspecify.annotations.NullMarked;
