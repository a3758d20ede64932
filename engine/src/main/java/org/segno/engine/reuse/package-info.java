/**
 * Allocation of windows and counters, and reuse of their ids and memory once no engine can write there any more.
 *
 * <p>An id is free again when all engines that could write to it are quiet.
 */
@NullMarked
package org.segno.engine.reuse;

import org.jspecify.annotations.NullMarked;
