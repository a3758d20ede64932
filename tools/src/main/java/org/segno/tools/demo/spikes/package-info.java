/**
 * {@code segno demo spikes}: cells of a nervous system tell others, each by a multicast of its own, that they fired.
 *
 * <p>Knows {@code ways}.
 */
@NullMarked
package org.segno.tools.demo.spikes;

import org.jspecify.annotations.NullMarked;
