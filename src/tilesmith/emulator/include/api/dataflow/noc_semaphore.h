// The older path of api/semaphore.h.
#pragma once
#include "api/semaphore.h"
