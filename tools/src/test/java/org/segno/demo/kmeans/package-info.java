@NullMarked
package org.segno.demo.kmeans;

import org.jspecify.annotations.NullMarked;
