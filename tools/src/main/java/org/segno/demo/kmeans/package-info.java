/** The {@code segno demo kmeans}: clusters of points that are divided among the ranks, by collectives. */
@NullMarked
package org.segno.demo.kmeans;

import org.jspecify.annotations.NullMarked;
