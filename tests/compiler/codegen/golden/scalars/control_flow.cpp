// k_reader: brings data from DRAM to the core.
#include <cstdint>

void kernel_main() {
    const int32_t n = get_arg_val<int32_t>(0);

    int32_t count = 0;
    for (int32_t i = 0; i < n; ++i) {
        const int32_t even = i % 4;
        if (even == 0) {
            const int32_t next = count + 1;
            count = next;
        } else if (even == 1) {
            count = i;
        } else {
            count = 0;
        }
    }
    for (int32_t i = 0; i < n; i += 4) {
        const int32_t before = count;
        count = i;
        const int32_t sum = before + i;
        count = sum;
    }
    while (count < n) {
        const int32_t next = count + 1;
        count = next;
    }
}
