/**
 * Finds jobs of this host from outside, running, stopped or kept, and shows what their nodes count: {@code segno stat}.
 *
 * <p>Everything is opened and mapped read-only, and nothing that stands there is trusted.
 */
@NullMarked
package org.segno.tools.observe;

import org.jspecify.annotations.NullMarked;
