/**
 * The {@code segno} command: its entry point, and the parts that all subcommands share (exit codes, messages, settings,
 * durations).
 *
 * <p>Standard output is data, standard error is for messages. Subcommands have packages of their own, and only the
 * requested one is loaded.
 */
@NullMarked
package org.segno.tools;

import org.jspecify.annotations.NullMarked;
