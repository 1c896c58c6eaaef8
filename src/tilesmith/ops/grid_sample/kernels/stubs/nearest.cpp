// Nearest sampling before it is written: both readers end at once.
#include "api/dataflow/dataflow_api.h"

void kernel_main() {}
