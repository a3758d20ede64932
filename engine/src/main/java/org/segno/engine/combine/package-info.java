/**
 * Arithmetic of COMBINE: loops over elements in memory, and the operators that applications have registered.
 */
@NullMarked
package org.segno.engine.combine;

import org.jspecify.annotations.NullMarked;
