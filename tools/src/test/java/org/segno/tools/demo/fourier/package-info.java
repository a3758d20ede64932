@NullMarked
package org.segno.tools.demo.fourier;

import org.jspecify.annotations.NullMarked;
