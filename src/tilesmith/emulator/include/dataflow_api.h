// The path of the first name generation.
#pragma once
#include "api/dataflow/dataflow_api.h"
