// Attribute macros and small types of the RISC; all of them come with the prologue.
#pragma once
#include "ts/prologue.h"
