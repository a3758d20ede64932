@NullMarked
package org.segno.tools.demo.neighbours;

import org.jspecify.annotations.NullMarked;
