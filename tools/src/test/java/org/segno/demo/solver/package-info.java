@NullMarked
package org.segno.demo.solver;

import org.jspecify.annotations.NullMarked;
