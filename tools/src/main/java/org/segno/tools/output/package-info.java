/** Output of data for people and programs, independent of any command. */
@NullMarked
package org.segno.tools.output;

import org.jspecify.annotations.NullMarked;
