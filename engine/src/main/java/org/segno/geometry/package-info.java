/**
 * Addresses of contexts at every rank, as values: {@link org.segno.geometry.Endpoint}.
 */
@NullMarked
package org.segno.geometry;

import org.jspecify.annotations.NullMarked;
