/**
 * {@code segno demo spikes}: cells of a nervous system notify others, each by a multicast of its own, when they fire.
 *
 * <p>Uses {@code comparison}.
 */
@NullMarked
package org.segno.demo.spikes;

import org.jspecify.annotations.NullMarked;
