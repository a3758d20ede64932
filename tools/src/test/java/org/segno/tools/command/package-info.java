/** Tests of the parts that all commands share. */
@NullMarked
package org.segno.tools.command;

import org.jspecify.annotations.NullMarked;
