/**
 * What stands in the node files of a job, record by record, and whether it can be: {@code segno inspect}.
 *
 * <p>Knows {@code observe}, which finds and maps the files. Nothing that stands there is trusted: what leads to an offset is
 * checked before it is followed, and what cannot be is named line by line.
 */
@NullMarked
package org.segno.tools.inspect;

import org.jspecify.annotations.NullMarked;
