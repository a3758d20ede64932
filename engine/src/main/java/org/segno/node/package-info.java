/**
 * Assembly of one node: its memory, its engines and its client, put together when it has joined its job.
 *
 * <p>Sees everything below and puts the two halves of the engine together.
 */
@NullMarked
package org.segno.node;

import org.jspecify.annotations.NullMarked;
