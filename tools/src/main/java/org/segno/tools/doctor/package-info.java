/**
 * Looks at the host: what of it is fit for jobs, what is not, and what to do about it: {@code segno doctor}.
 *
 * <p>Each check is a class of its own and answers findings; none changes anything.
 */
@NullMarked
package org.segno.tools.doctor;

import org.jspecify.annotations.NullMarked;
