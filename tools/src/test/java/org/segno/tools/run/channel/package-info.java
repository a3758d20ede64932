/** Tests of the frames between launcher and agents. */
@NullMarked
package org.segno.tools.run.channel;

import org.jspecify.annotations.NullMarked;
