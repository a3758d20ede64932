@NullMarked
package org.segno.tools.demo.spikes;

import org.jspecify.annotations.NullMarked;
