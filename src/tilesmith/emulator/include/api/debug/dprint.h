// Printing from kernels, in both styles: DPRINT << a << ENDL() and DPRINT("a is {}\n", a).
#pragma once
#include "ts/print.h"
#include "api/debug/dprint_tile.h"

#define DEVICE_PRINT(...) ::ts::print_formatted(::ts::At::current(), __VA_ARGS__)
#define TS_PRINT_ON(condition, ...)               \
    do {                                          \
        if (condition) DEVICE_PRINT(__VA_ARGS__); \
    } while (0)
#define DEVICE_PRINT_UNPACK(...) TS_PRINT_ON(ts_role() == ::ts::Role::unpack, __VA_ARGS__)
#define DEVICE_PRINT_MATH(...) TS_PRINT_ON(ts_role() == ::ts::Role::math, __VA_ARGS__)
#define DEVICE_PRINT_PACK(...) TS_PRINT_ON(ts_role() == ::ts::Role::pack, __VA_ARGS__)
#define DEVICE_PRINT_DATA0(...) TS_PRINT_ON(ts_role() == ::ts::Role::brisc, __VA_ARGS__)
#define DEVICE_PRINT_DATA1(...) TS_PRINT_ON(ts_role() == ::ts::Role::ncrisc, __VA_ARGS__)
#define DPRINT(...) DEVICE_PRINT(__VA_ARGS__)
#define DPRINT_UNPACK(...) DEVICE_PRINT_UNPACK(__VA_ARGS__)
#define DPRINT_MATH(...) DEVICE_PRINT_MATH(__VA_ARGS__)
#define DPRINT_PACK(...) DEVICE_PRINT_PACK(__VA_ARGS__)
#define DPRINT_DATA0(...) DEVICE_PRINT_DATA0(__VA_ARGS__)
#define DPRINT_DATA1(...) DEVICE_PRINT_DATA1(__VA_ARGS__)
