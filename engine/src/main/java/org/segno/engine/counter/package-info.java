/**
 * Settings of reception counters in a node's memory, which peers check before they land data.
 *
 * <p>The counters themselves are in {@code org.segno.memory}.
 */
@NullMarked
package org.segno.engine.counter;

import org.jspecify.annotations.NullMarked;
