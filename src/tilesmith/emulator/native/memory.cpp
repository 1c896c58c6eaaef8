// Memories of the machine.
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cstring>

#include "access.h"

namespace ts {

bool map_shadows(Machine& machine) {
    if (machine.shadowed) return true;
    for (ShadowMap& shadow : machine.l1_shadow)
        if (!shadow.map(machine.config.l1_size, 2)) return false;
    for (DramBank& bank : machine.dram)
        if (!bank.shadow.map(machine.config.dram_bank_size, 4)) return false;
    return machine.shadowed = true;
}

// L1 lies below 4 GiB so that a kernel may cast its 32-bit address to a pointer.
static uint8_t* map_low(int file, size_t bytes) {
    for (uint64_t at = 0x10000000; at + bytes < 0xf0000000; at += 0x2000000) {
        void* memory =
            mmap(reinterpret_cast<void*>(at), bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_FIXED_NOREPLACE, file, 0);
        if (memory == reinterpret_cast<void*>(at)) return static_cast<uint8_t*>(memory);
        if (memory != MAP_FAILED) munmap(memory, bytes);
    }
    return nullptr;
}

static void index_workers(Machine& machine) {
    memset(machine.worker_at, 0xff, sizeof machine.worker_at);
    for (uint32_t i = 0; i < machine.core_count; ++i)
        machine.worker_at[machine.worker_noc_xy[2 * i]][machine.worker_noc_xy[2 * i + 1]] = static_cast<uint16_t>(i);
}

static void index_banks(Machine& machine) {
    memset(machine.bank_at, 0xff, sizeof machine.bank_at);
    machine.next_bank.assign(machine.banks.size(), 0xffff);
    for (size_t i = machine.banks.size(); i-- > 0;) {
        const BankConfig& bank = machine.banks[i];
        uint16_t& first = machine.bank_at[bank.noc_x[0]][bank.noc_y[0]];
        machine.next_bank[i] = first;
        first = static_cast<uint16_t>(i);
        uint16_t& other = machine.bank_at[bank.noc_x[1]][bank.noc_y[1]];
        if (other == 0xffff) other = static_cast<uint16_t>(i);
    }
}

static bool map_memories(Machine& machine) {
    const MachineConfig& config = machine.config;
    const size_t bytes = size_t{machine.core_count} * l1_stride;
    machine.l1_file = static_cast<int>(syscall(SYS_memfd_create, "tilesmith-l1", 1u /* MFD_CLOEXEC */));
    if (machine.l1_file < 0 || ftruncate(machine.l1_file, static_cast<off_t>(bytes)) != 0) return false;
    machine.l1_base = map_low(machine.l1_file, bytes);
    if (!machine.l1_base) return false;
    machine.l1_shadow.resize(machine.core_count);
    for (uint32_t i = 0; i < machine.core_count; ++i) {
        mprotect(machine.core_l1(i) + config.l1_size, l1_stride - config.l1_size, PROT_NONE);
    }
    machine.dram.resize(config.num_dram_banks);
    for (DramBank& bank : machine.dram) {
        bank.memory = static_cast<uint8_t*>(reserve(config.dram_bank_size));
        if (!bank.memory) return false;
        madvise(bank.memory, config.dram_bank_size, MADV_HUGEPAGE);  // tiles are read all over the banks
    }
    return true;
}

static void place_nodes(Machine& machine) {
    const MachineConfig& config = machine.config;
    for (uint32_t i = 0; i < machine.core_count; ++i)
        machine.worker_nodes.push_back({static_cast<uint16_t>(config.worker_physical_xy[2 * i]),
                                        static_cast<uint16_t>(config.worker_physical_xy[2 * i + 1])});
    for (const BankConfig& bank : machine.banks)
        for (int noc = 0; noc < 2; ++noc)
            machine.bank_nodes.push_back(
                {static_cast<uint16_t>(bank.physical_x[noc]), static_cast<uint16_t>(bank.physical_y[noc])});
    machine.bank_service.resize(config.num_dram_banks);
    for (NocLinks& noc : machine.nocs) noc.resize(config.timing.noc_width * config.timing.noc_height);
}

Machine* machine_new(const MachineConfig& config) {
    auto machine = Owned<Machine>::make();
    machine->config = config;
    machine->core_count = config.grid_x * config.grid_y;
    machine->worker_noc_xy.assign(config.worker_noc_xy, config.worker_noc_xy + 2 * machine->core_count);
    machine->banks.assign(config.dram_banks, config.dram_banks + config.num_dram_banks);
    place_nodes(*machine);
    index_workers(*machine);
    index_banks(*machine);
    if (!map_memories(*machine)) {
        machine_free(machine.release());
        return nullptr;
    }
    return machine.release();
}

void machine_free(Machine* machine) {
    if (machine->l1_base) munmap(machine->l1_base, size_t{machine->core_count} * l1_stride);
    if (machine->l1_file >= 0) close(machine->l1_file);
    for (ShadowMap& shadow : machine->l1_shadow) shadow.unmap();
    for (DramBank& bank : machine->dram) {
        if (bank.memory) munmap(bank.memory, machine->config.dram_bank_size);
        bank.shadow.unmap();
    }
    for (Stack& stack : machine->free_stacks) stack.unmap();
    delete machine;
}

// ---- addresses ----

bool to_l1_offset(const Machine& machine, uint64_t address, uint32_t* offset) {
    const auto base = reinterpret_cast<uint64_t>(machine.l1_base);
    if (address >= base && address < base + uint64_t{machine.core_count} * l1_stride)
        address = (address - base) & l1_offset_mask;
    *offset = static_cast<uint32_t>(address);
    return address < machine.config.l1_size;
}

uint32_t local_offset(uint32_t address, uint32_t size, const At& at) {
    Machine& machine = *current_run->machine;
    uint32_t offset;
    if (!to_l1_offset(machine, address, &offset) || uint64_t{offset} + size > machine.config.l1_size)
        fatal("mem.out-of-bounds", at, "%u bytes at L1 address 0x%x do not lie in this core's L1 of %u bytes", size,
              address, machine.config.l1_size);
    return offset;
}

uint8_t* l1(uint32_t address_or_offset) {
    uint32_t offset;
    if (!to_l1_offset(*current_run->machine, address_or_offset, &offset))
        fatal("mem.out-of-bounds", self().last_at, "L1 address 0x%x lies outside this core's L1", address_or_offset);
    return core().l1 + offset;
}

static bool find_bank(const Machine& machine, uint32_t x, uint32_t y, uint64_t local, Target* target) {
    for (uint16_t i = machine.bank_at[x][y]; i != 0xffff; i = machine.next_bank[i]) {
        const uint64_t start = machine.banks[i].address_offset;
        if (local < start || local >= start + machine.config.dram_bank_size) continue;
        target->dram = true;
        target->index = i;
        target->offset = local - start;
        return true;
    }
    return false;
}

Target resolve(uint64_t noc_address, uint32_t size, const At& at) {
    Run& run = *current_run;
    Machine& machine = *run.machine;
    const uint32_t x = (noc_address >> 36) & 63, y = (noc_address >> 42) & 63;
    const uint64_t local = noc_address & ((uint64_t{1} << 36) - 1);
    Target target;
    if (machine.worker_at[x][y] != 0xffff) {
        uint32_t offset;
        target.index = machine.worker_at[x][y];
        if (!to_l1_offset(machine, local, &offset) || uint64_t{offset} + size > machine.config.l1_size)
            fatal("noc.out-of-bounds", at,
                  "%u bytes at 0x%llx do not lie in the L1 of core at NoC (%u, %u), which has %u bytes", size,
                  static_cast<unsigned long long>(local), x, y, machine.config.l1_size);
        target.offset = offset;
    } else if (!find_bank(machine, x, y, local, &target)) {
        fatal("noc.wrong-target", at,
              "NoC address (%u, %u) 0x%llx is neither a worker core nor a DRAM bank of this chip", x, y,
              static_cast<unsigned long long>(local));
    } else if (target.offset + size > machine.config.dram_bank_size) {
        fatal("noc.out-of-bounds", at, "%u bytes at 0x%llx run past the end of DRAM bank %u", size,
              static_cast<unsigned long long>(target.offset), target.index);
    }
    target.memory =
        target.dram ? machine.dram[target.index].memory + target.offset : machine.core_l1(target.index) + target.offset;
    target.shadow = target.dram ? &machine.dram[target.index].shadow : &machine.l1_shadow[target.index];
    return target;
}

}  // namespace ts
