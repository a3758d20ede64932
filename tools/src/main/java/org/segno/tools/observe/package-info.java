/**
 * Finds jobs of this host from outside, running, stopped or kept, and shows the counts of their nodes: {@code segno
 * stat}.
 *
 * <p>All files are opened and mapped read-only, and nothing in them is trusted.
 */
@NullMarked
package org.segno.tools.observe;

import org.jspecify.annotations.NullMarked;
