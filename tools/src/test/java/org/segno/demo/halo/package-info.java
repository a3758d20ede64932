@NullMarked
package org.segno.demo.halo;

import org.jspecify.annotations.NullMarked;
