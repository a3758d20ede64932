/**
 * The command: {@code bench} and its subcommands, and the catalogue of what it measures.
 *
 * <p>Knows every package of this module. Known by nobody.
 */
@NullMarked
package org.segno.bench;

import org.jspecify.annotations.NullMarked;
