/**
 * Results of operations: values below zero on the hot path, exceptions at the edge and from waits, and deadlines.
 *
 * <p>Uses no other package. Used by every package.
 */
@NullMarked
package org.segno.status;

import org.jspecify.annotations.NullMarked;
