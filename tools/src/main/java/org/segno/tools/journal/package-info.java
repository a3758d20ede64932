/**
 * Journals of jobs: the descriptors that engines have carried out and the rounds of patterns, in one Chronicle Queue
 * per rank. {@link org.segno.tools.journal.Journal} reads them. The recorder writes them on a thread beside the message
 * path.
 */
@NullMarked
package org.segno.tools.journal;

import org.jspecify.annotations.NullMarked;
