/** Tests of the command's top. */
@NullMarked
package org.segno.tools;

import org.jspecify.annotations.NullMarked;
