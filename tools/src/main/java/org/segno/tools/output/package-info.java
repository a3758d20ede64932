/** How commands write data for programs; knows no command. */
@NullMarked
package org.segno.tools.output;

import org.jspecify.annotations.NullMarked;
