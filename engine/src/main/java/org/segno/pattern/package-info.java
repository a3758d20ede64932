/**
 * Recorded sections of the pattern buffer: a communication pattern is recorded once, and replayed by one entry of a
 * ring.
 *
 * <p>{@code context} records, replays and closes patterns. Applications name {@link org.segno.pattern.Pattern} and
 * {@link org.segno.pattern.Rounds}.
 */
@NullMarked
package org.segno.pattern;

import org.jspecify.annotations.NullMarked;
