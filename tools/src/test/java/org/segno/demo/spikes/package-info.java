@NullMarked
package org.segno.demo.spikes;

import org.jspecify.annotations.NullMarked;
