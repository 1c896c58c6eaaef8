// A scope in which a kernel declares that it touches memory itself.
#pragma once
#include "ts/prologue.h"

template <typename ReleaseFunc>
class [[nodiscard]] Lock {
public:
    explicit Lock(ReleaseFunc release) : release_(release) {}
    ~Lock() { release_(); }
    Lock(const Lock&) = delete;
    Lock& operator=(const Lock&) = delete;

private:
    ReleaseFunc release_;
};
