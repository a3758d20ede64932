/**
 * What a rank executes: a jar, a main class, a source file or any command, with the Java and the class path for it.
 *
 * <p>Knows nothing of jobs and ranks.
 */
@NullMarked
package org.segno.tools.program;

import org.jspecify.annotations.NullMarked;
