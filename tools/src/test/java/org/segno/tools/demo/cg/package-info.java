@NullMarked
package org.segno.tools.demo.cg;

import org.jspecify.annotations.NullMarked;
