/**
 * Other projects, measured beside this one in the same run, each used in the way that gives its best figures.
 *
 * <p>Uses {@code experiment}; used by the catalogue only.
 */
@NullMarked
package org.segno.bench.peer;

import org.jspecify.annotations.NullMarked;
