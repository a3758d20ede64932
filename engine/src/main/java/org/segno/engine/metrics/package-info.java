/**
 * Counts of a node's events in its mapped file, so that tools read a running job at no cost to it, and its error log.
 *
 * <p>Used by all packages that count.
 */
@NullMarked
package org.segno.engine.metrics;

import org.jspecify.annotations.NullMarked;
