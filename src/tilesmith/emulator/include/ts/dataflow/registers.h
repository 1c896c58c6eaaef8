// The control register of the read command buffer: kernels that read on another virtual channel put it back at their end.
#pragma once
#include "ts/prologue.h"

inline constexpr uint32_t NOC_CMD_CPY = 0, NOC_CMD_RD = 0;
inline constexpr uint32_t NOC_CMD_WR = 1 << 1, NOC_CMD_RESP_MARKED = 1 << 4, NOC_CMD_BRCST_PACKET = 1 << 5;
inline constexpr uint32_t NOC_CMD_VC_LINKED = 1 << 6, NOC_CMD_VC_STATIC = 1 << 7, NOC_CMD_PATH_RESERVE = 1 << 8;
constexpr uint32_t NOC_CMD_STATIC_VC(uint32_t vc) { return vc << 13; }

inline constexpr uint32_t NCRISC_RD_CMD_BUF = 1;
inline constexpr uint32_t NOC_CTRL = 0x1c;

// Every read here says its channel, so writing the register back changes nothing; all else would.
inline void NOC_CMD_BUF_WRITE_REG(uint32_t, uint32_t buffer, uint32_t address, uint32_t value, TS_AT) {
    constexpr uint32_t as_started =
        NOC_CMD_CPY | NOC_CMD_RD | NOC_CMD_RESP_MARKED | NOC_CMD_VC_STATIC | NOC_CMD_STATIC_VC(1);
    if (buffer == NCRISC_RD_CMD_BUF && address == NOC_CTRL && value == as_started) return;
    ts_gap("registers of the NoC (NOC_CMD_BUF_WRITE_REG)", at);
}
