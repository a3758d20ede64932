@NullMarked
package org.segno.tools.demo.solver;

import org.jspecify.annotations.NullMarked;
