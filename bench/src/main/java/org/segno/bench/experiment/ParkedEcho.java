package org.segno.bench.experiment;

/**
 * Side whose echo sleeps during the slices, so that a second thread of the origin has a core. The echo takes no part:
 * memory that it has mapped and published is its whole role.
 *
 * @param role which end
 * @param side the measured side; only the origin's slices are run
 * @param core the core of the second thread
 */
public record ParkedEcho(Role role, Side side, LentCore core) implements Side {
    @Override
    public void enter() {
        side.enter();
    }

    @Override
    public void slice(int operations, SliceFigures figures) {
        if (role == Role.ORIGIN) {
            side.slice(operations, figures);
        }
        core.endSlice(role);
    }

    @Override
    public void leave() {
        side.leave();
    }

    @Override
    public void close() {
        side.close();
    }
}
