@NullMarked
package org.segno.tools.inspect;

import org.jspecify.annotations.NullMarked;
