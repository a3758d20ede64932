package org.segno.tools.run.plan;

import java.net.InetAddress;
import java.net.UnknownHostException;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.segno.tools.command.CommandException;
import org.segno.tools.command.ExitCode;

/**
 * The value of {@code --hub}: where other hosts reach the hub of the job.
 *
 * @param name an address, or a name that the name service resolves
 * @param port the port, 0 for any
 */
public record HubPlace(String name, int port) {
    private static final int HIGHEST_PORT = 65_535;

    /** An IPv6 address, which is in brackets if a port follows, or a name or IPv4 address; then an optional port. */
    private static final Pattern FORM =
            Pattern.compile("(?:\\[([0-9A-Fa-f:.]+)]|([A-Za-z0-9_][A-Za-z0-9._-]*))(?::([0-9]{1,5}))?"
                    + "|([0-9A-Fa-f.]*:[0-9A-Fa-f.]*:[0-9A-Fa-f:.]*)");

    /**
     * Parses {@code ADDRESS[:PORT]}.
     *
     * @throws IllegalArgumentException if the text is malformed.
     */
    public static HubPlace parse(String text) {
        final Matcher matcher = FORM.matcher(text.trim());
        if (matcher.matches()) {
            final String digits = matcher.group(3);
            final int port = digits == null ? 0 : Integer.parseInt(digits);
            if (port <= HIGHEST_PORT) {
                for (final int group : new int[] {1, 2, 4}) {
                    if (matcher.group(group) != null) {
                        return new HubPlace(matcher.group(group), port);
                    }
                }
            }
        }
        throw new IllegalArgumentException("--hub takes an address or name of this host and an optional port, as"
                + " 10.1.0.1:4000 or [2001:db8::1]:4000: '" + text + "'");
    }

    /**
     * Returns the address.
     *
     * @throws CommandException if the name has none.
     */
    InetAddress address() {
        try {
            return InetAddress.getByName(name);
        } catch (final UnknownHostException e) {
            throw new CommandException(ExitCode.NOT_FIT, "--hub " + name + " has no address: " + e.getMessage());
        }
    }
}
