/**
 * The parts that all commands share: console, exit codes, standard output, version, and converters of options.
 *
 * <p>Standard output is data; the console writes messages to standard error. A command gets its console from picocli,
 * by {@link org.segno.tools.command.Console#of}, and names no other command.
 */
@NullMarked
package org.segno.tools.command;

import org.jspecify.annotations.NullMarked;
