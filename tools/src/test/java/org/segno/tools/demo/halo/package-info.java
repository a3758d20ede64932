@NullMarked
package org.segno.tools.demo.halo;

import org.jspecify.annotations.NullMarked;
