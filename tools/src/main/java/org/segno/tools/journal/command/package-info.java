/** The {@code segno journal} command and its subcommands. */
@NullMarked
package org.segno.tools.journal.command;

import org.jspecify.annotations.NullMarked;
