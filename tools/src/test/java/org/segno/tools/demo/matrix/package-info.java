@NullMarked
package org.segno.tools.demo.matrix;

import org.jspecify.annotations.NullMarked;
