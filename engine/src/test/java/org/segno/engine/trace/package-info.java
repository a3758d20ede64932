/** Tests of the rings of traces. */
@NullUnmarked
package org.segno.engine.trace;

import org.jspecify.annotations.NullUnmarked;
