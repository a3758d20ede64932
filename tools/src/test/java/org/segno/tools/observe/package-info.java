@NullMarked
package org.segno.tools.observe;

import org.jspecify.annotations.NullMarked;
