// What the engines' steps cost on each family of chips, as the host read it from the arch data.
#include <cstring>

#include "engine.h"

namespace ts {
namespace {

struct FamilyTiming {
    EngineTiming engine;
    std::vector<std::string> functions;
    std::vector<uint32_t> cycles;
};

FamilyTiming families[2];  // Wormhole, Blackhole

bool find_cost(const FamilyTiming& family, const std::string& function, uint32_t* cycles) {
    for (size_t i = 0; i < family.functions.size(); ++i) {
        if (family.functions[i] != function) continue;
        *cycles = family.cycles[i];
        return true;
    }
    return false;
}

}  // namespace

const EngineTiming& engine_timing() { return families[engine()->blackhole].engine; }

uint32_t sfpu_cost(const Engine& engine, const char* function) {
    const FamilyTiming& family = families[engine.blackhole];
    uint32_t cycles = family.engine.sfpu_default;
    if (engine.config.approx && find_cost(family, std::string(function) + "_approx", &cycles)) return cycles;
    find_cost(family, function, &cycles);
    return cycles;
}

extern "C" void tsh_engine_timing(uint32_t blackhole, const EngineTiming* timing, const char* const* functions,
                                  const uint32_t* cycles, uint32_t count) {
    families[blackhole & 1] = {*timing, {functions, functions + count}, {cycles, cycles + count}};
}

}  // namespace ts
