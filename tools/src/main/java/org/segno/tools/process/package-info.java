/**
 * What a launcher needs of the operating system and Java does not give as it stands: signals, tagged output, thread
 * dumps of other processes, the end of children with their parent, words for a shell.
 *
 * <p>Knows nothing of jobs and ranks.
 */
@NullMarked
package org.segno.tools.process;

import org.jspecify.annotations.NullMarked;
