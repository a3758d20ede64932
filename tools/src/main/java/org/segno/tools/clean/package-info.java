/**
 * Removes the directories of ended jobs: {@code segno clean}.
 *
 * <p>Uses {@code observe}, which finds the jobs whose files are open.
 */
@NullMarked
package org.segno.tools.clean;

import org.jspecify.annotations.NullMarked;
