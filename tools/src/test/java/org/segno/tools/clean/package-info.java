@NullMarked
package org.segno.tools.clean;

import org.jspecify.annotations.NullMarked;
