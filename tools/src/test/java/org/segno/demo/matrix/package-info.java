@NullMarked
package org.segno.demo.matrix;

import org.jspecify.annotations.NullMarked;
