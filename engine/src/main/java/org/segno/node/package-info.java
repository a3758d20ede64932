/**
 * Assembly of one node from its memory, its engines and its client, after it has joined its job.
 *
 * <p>Uses all packages below, and connects the two halves of the engine.
 */
@NullMarked
package org.segno.node;

import org.jspecify.annotations.NullMarked;
