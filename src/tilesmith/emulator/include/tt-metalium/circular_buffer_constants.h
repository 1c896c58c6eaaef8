#pragma once
#include "ts/prologue.h"
