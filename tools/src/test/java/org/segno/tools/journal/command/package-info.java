/** Tests of the commands that read journals. */
@NullUnmarked
package org.segno.tools.journal.command;

import org.jspecify.annotations.NullUnmarked;
