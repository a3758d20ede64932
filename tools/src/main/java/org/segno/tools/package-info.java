/**
 * The {@code segno} command: its entry point, its settings, and the subcommands that describe it as a whole.
 *
 * <p>The other subcommands have packages of their own, and only the requested one is loaded. No package of this module
 * depends on this one.
 */
@NullMarked
package org.segno.tools;

import org.jspecify.annotations.NullMarked;
