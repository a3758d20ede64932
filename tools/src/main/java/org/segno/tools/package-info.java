/**
 * The {@code segno} command: its top, and what all of its subcommands share (exit codes, talk, settings, times).
 *
 * <p>Standard output is data, standard error is talk. Subcommands live in packages of their own; only the one that was
 * asked for is loaded.
 */
@NullMarked
package org.segno.tools;

import org.jspecify.annotations.NullMarked;
