/**
 * Shows the node files of a job, record by record, and checks them: {@code segno inspect}.
 *
 * <p>Uses {@code observe}, which finds and maps the files. Nothing in them is trusted: every word that leads to an
 * offset is checked before it is used, and each invalid value is reported on a line of its own.
 */
@NullMarked
package org.segno.tools.inspect;

import org.jspecify.annotations.NullMarked;
