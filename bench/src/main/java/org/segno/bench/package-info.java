/**
 * The {@code bench} command and its subcommands, and the catalogue of experiments.
 *
 * <p>Uses every package of this module; used by none.
 */
@NullMarked
package org.segno.bench;

import org.jspecify.annotations.NullMarked;
