/**
 * Programs of a rank: a jar, a main class, a source file or any command, with the Java and the class path for it.
 *
 * <p>The package does not depend on jobs and ranks.
 */
@NullMarked
package org.segno.tools.program;

import org.jspecify.annotations.NullMarked;
