@NullMarked
package org.segno.demo.comparison;

import org.jspecify.annotations.NullMarked;
