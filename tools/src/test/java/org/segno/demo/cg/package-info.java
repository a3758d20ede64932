@NullMarked
package org.segno.demo.cg;

import org.jspecify.annotations.NullMarked;
