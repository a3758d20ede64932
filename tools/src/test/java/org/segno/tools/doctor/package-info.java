@NullMarked
package org.segno.tools.doctor;

import org.jspecify.annotations.NullMarked;
