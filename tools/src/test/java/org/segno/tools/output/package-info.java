@NullMarked
package org.segno.tools.output;

import org.jspecify.annotations.NullMarked;
