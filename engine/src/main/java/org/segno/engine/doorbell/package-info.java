/**
 * Doorbells: a waiter that is about to park publishes that it does, and engines that land something for it wake it by a
 * byte in a pipe.
 *
 * <p>Both halves of the engine use it: waits park at a {@link org.segno.engine.doorbell.Doorbell}, engines ring through
 * a {@link org.segno.engine.doorbell.Ringer}.
 */
@NullMarked
package org.segno.engine.doorbell;

import org.jspecify.annotations.NullMarked;
