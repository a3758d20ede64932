/**
 * Other projects, measured beside this one in the same run: each in the way that gives its best figures.
 *
 * <p>Knows {@code experiment}. Known by the catalogue alone.
 */
@NullMarked
package org.segno.bench.peer;

import org.jspecify.annotations.NullMarked;
