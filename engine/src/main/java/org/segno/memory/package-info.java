/**
 * Memory that peers can reach: windows, the counters that complete messages to them, and the addresses of both.
 *
 * <p>{@link org.segno.context.Client} opens windows and counters. {@link org.segno.memory.MemoryAccess} is for the
 * engine's own packages.
 */
@NullMarked
package org.segno.memory;

import org.jspecify.annotations.NullMarked;
