/**
 * Encoding of an application's requests as descriptors.
 *
 * <p>Used by {@code context}, which has checked the requests.
 */
@NullMarked
package org.segno.engine.writer;

import org.jspecify.annotations.NullMarked;
