/**
 * Programs with ranks that are threads of one process: the interface that they implement, and the main class that
 * starts them.
 *
 * <p>Uses {@code job}. No package uses it: a launcher starts it by name.
 */
@NullMarked
package org.segno.program;

import org.jspecify.annotations.NullMarked;
