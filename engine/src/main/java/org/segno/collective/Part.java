package org.segno.collective;

import org.segno.context.Context;

/**
 * A part of a collective at one member, which one context carries out: all of it, or a range of each block.
 *
 * @param context whose persistent FIFO the engine executes it from
 * @param algorithm that has written the schedule
 * @param schedule of this member
 * @param memory of this member
 */
record Part(Context context, Algorithm algorithm, Schedule schedule, CollectiveMemory memory) {}
