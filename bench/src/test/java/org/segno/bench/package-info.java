/** Tests of the command. */
@NullMarked
package org.segno.bench;

import org.jspecify.annotations.NullMarked;
