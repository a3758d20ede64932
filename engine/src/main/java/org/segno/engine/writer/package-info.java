/**
 * Encoding of an application's requests as descriptors.
 *
 * <p>Used by {@code context} and {@code pattern}, which have checked the requests.
 */
@NullMarked
package org.segno.engine.writer;

import org.jspecify.annotations.NullMarked;
