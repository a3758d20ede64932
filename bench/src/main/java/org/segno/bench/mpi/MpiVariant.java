package org.segno.bench.mpi;

import java.util.ArrayList;
import java.util.List;

/**
 * A way in which MPI carries out an exchange.
 *
 * @param packed true to copy all pieces for the other rank into one message
 * @param tcp true for TCP over the loopback interface, in place of what the MPI prefers on one host
 */
record MpiVariant(boolean packed, boolean tcp) {
    /**
     * Settings for Open MPI, which otherwise refuses two processes on one core or as root, yields in every wait, or
     * binds processes to cores. Each process binds itself.
     */
    private static final List<String> SETTINGS = List.of(
            "OMPI_ALLOW_RUN_AS_ROOT=1",
            "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1",
            "OMPI_MCA_rmaps_base_oversubscribe=1",
            "OMPI_MCA_hwloc_base_binding_policy=none",
            "OMPI_MCA_mpi_yield_when_idle=0");

    /** Settings for TCP: of Open MPI, then of MPICH over UCX, over libfabric and over sockets of its own. */
    private static final List<String> TCP_SETTINGS = List.of(
            "OMPI_MCA_pml=ob1",
            "OMPI_MCA_btl=tcp,self",
            "UCX_TLS=tcp,self",
            "FI_PROVIDER=tcp",
            "MPIR_CVAR_NOLOCAL=1",
            "MPIR_CVAR_CH3_NOLOCAL=1");

    /** Returns the way that the MPI prefers on one host. */
    static MpiVariant preferred(boolean packed) {
        return new MpiVariant(packed, false);
    }

    String peer() {
        return (tcp ? "MPI over TCP" : "MPI") + (packed ? " packed" : " message for message");
    }

    /** Returns the program's name of the way. */
    String mode() {
        return packed ? "packed" : "single";
    }

    /** Returns assignments of variables for the launcher. */
    List<String> settings() {
        final List<String> settings = new ArrayList<>(SETTINGS);
        if (tcp) {
            settings.addAll(TCP_SETTINGS);
            settings.add("OMPI_MCA_btl_tcp_if_include=127.0.0.0/8");
        }
        return settings;
    }
}
