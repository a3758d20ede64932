@NullMarked
package org.segno.demo.fourier;

import org.jspecify.annotations.NullMarked;
