@NullMarked
package org.segno.demo.neighbours;

import org.jspecify.annotations.NullMarked;
