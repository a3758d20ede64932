/** Tests of the plan of a job. */
@NullMarked
package org.segno.tools.run.plan;

import org.jspecify.annotations.NullMarked;
