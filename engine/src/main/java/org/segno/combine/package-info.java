/**
 * Elements and operators of {@code Context.combine}, and the interface of operators that an application registers.
 */
@NullMarked
package org.segno.combine;

import org.jspecify.annotations.NullMarked;
