@NullMarked
package org.segno.tools.demo.ways;

import org.jspecify.annotations.NullMarked;
