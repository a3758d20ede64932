/**
 * Functions of the operating system that a launcher needs and Java does not offer directly.
 *
 * <p>They are signals, tagged output, thread dumps of other processes, the end of children with their parent, and words
 * for a shell. The package does not depend on jobs and ranks.
 */
@NullMarked
package org.segno.tools.process;

import org.jspecify.annotations.NullMarked;
