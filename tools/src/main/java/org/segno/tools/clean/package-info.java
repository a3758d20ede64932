/**
 * Removes the directories of ended jobs: {@code segno clean}.
 *
 * <p>Uses {@code observe}, which finds the jobs with open files.
 */
@NullMarked
package org.segno.tools.clean;

import org.jspecify.annotations.NullMarked;
