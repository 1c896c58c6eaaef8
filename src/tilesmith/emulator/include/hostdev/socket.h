// What lies in L1 behind a socket: written by the host, read by the kernels at both ends.
#pragma once
#include <cstdint>

struct d2h_sender_socket_md {
    uint32_t bytes_sent_addr_hi, data_addr_hi, pcie_xy_enc;
};
struct d2d_sender_socket_md {
    uint32_t downstream_mesh_id, downstream_chip_id, downstream_noc_y, downstream_noc_x;
};
union sender_downstream_encoding {
    d2h_sender_socket_md d2h;
    d2d_sender_socket_md d2d;
};

// Behind it follow a word of acknowledged bytes for each receiver, and an encoding of where each stands.
struct sender_socket_md {
    uint32_t bytes_sent = 0, num_downstreams = 0, write_ptr = 0;
    uint32_t downstream_bytes_sent_addr = 0, downstream_fifo_addr = 0, downstream_fifo_total_size = 0, is_d2h = 0;
};

struct h2d_socket_md {
    uint32_t bytes_acked_addr_lo, bytes_acked_addr_hi, data_addr_lo, data_addr_hi, pcie_xy_enc;
};
struct d2d_recv_socket_md {
    uint32_t upstream_mesh_id, upstream_chip_id, upstream_noc_y, upstream_noc_x, upstream_bytes_acked_addr;
};
struct receiver_socket_md {
    uint32_t bytes_sent, read_ptr, fifo_addr, fifo_total_size, bytes_acked, is_h2d;
    union {
        h2d_socket_md h2d;
        d2d_recv_socket_md d2d;
    };
};

using H2DSocketInterface = h2d_socket_md;
using D2DSocketRecvInterface = d2d_recv_socket_md;
using D2HSocketInterface = d2h_sender_socket_md;
struct D2DSocketSendInterface {
    uint32_t downstream_enc_base_addr;
};

struct SocketSenderInterface {
    uint32_t config_addr, write_ptr, bytes_sent, bytes_acked_base_addr, page_size, num_downstreams;
    uint32_t downstream_fifo_total_size, downstream_fifo_curr_size, downstream_fifo_addr, downstream_bytes_sent_addr;
    uint32_t is_d2h;
    union {
        D2HSocketInterface d2h;
        D2DSocketSendInterface d2d;
    };
};
struct SocketReceiverInterface {
    uint32_t config_addr, read_ptr, bytes_acked, bytes_sent_addr, page_size;
    uint32_t fifo_addr, fifo_total_size, fifo_curr_size, is_h2d;
    union {
        H2DSocketInterface h2d;
        D2DSocketRecvInterface d2d;
    };
};
