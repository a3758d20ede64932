/**
 * A program whose ranks are threads of one process: what it implements, and the main class that starts it.
 *
 * <p>Knows {@code job}. Known by nobody: a launcher starts it by name.
 */
@NullMarked
package org.segno.program;

import org.jspecify.annotations.NullMarked;
