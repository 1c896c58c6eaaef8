#pragma once
#include "ts/prologue.h"
#include "ts/dataflow/addresses.h"
