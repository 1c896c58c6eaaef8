// What Python calls: machines, programs, runs. Plain C structures, described again in ../library.py.
#include <dlfcn.h>
#include <link.h>
#include <pthread.h>

#include <cstring>

#include "access.h"
#include "fabric.h"
#include "faults.h"
#include "num/workers.h"
#include "undefined.h"

namespace ts {
std::string report_json(const LoadedProgram& program);
}

using namespace ts;

extern "C" {

struct KernelDescription {
    const char* name;
    void* handles[3];          // dlopen handles: one for data movement, one per role for compute
    uint64_t data_offsets[3];  // where the library's writable data starts, from where it is loaded
    uint64_t data_sizes[3];
    uint32_t compute, processor, noc, fidelity, fp32_dest, approx, full_sync, bfp8_pack_precise;
    uint64_t unpack_to_dest_fp32;  // bit per CB
    uint32_t origin_x, origin_y, core_count;
    const uint32_t* cores;
};

struct CbDescription {
    uint32_t index, format, tile_rows, tile_cols, face_rows, faces, offset, size, page_size, globally_allocated,
        core_count;
    const uint32_t* cores;
};

struct SemaphoreDescription {
    uint32_t id, value, core_count;
    const uint32_t* cores;
};

struct Arguments {  // per kernel: values of core i are values[offsets[i] .. offsets[i + 1])
    const uint32_t* values;
    const uint32_t* offsets;
    const uint32_t* common;
    uint32_t common_count;
};

struct RunResult {
    uint64_t cycles, steps, switches;
    uint32_t findings, prints, zones, status;  // status: 0 ended, 1 aborted, 2 interrupted, 3 out of memory
};

Machine* tsh_machine_new(const MachineConfig* config) { return machine_new(*config); }
void tsh_machine_free(Machine* machine) { machine_free(machine); }
uint8_t* tsh_l1(Machine* machine, uint32_t core) { return machine->core_l1(core); }
uint8_t* tsh_dram(Machine* machine, uint32_t bank) { return machine->dram[bank].memory; }

void tsh_note_host_write(Machine* machine, uint32_t core, uint64_t address, uint64_t size) {
    if (map_shadows(*machine)) mark_initialised(machine->l1_shadow[core], address, size);
}

void tsh_note_host_dram_write(Machine* machine, uint32_t bank, uint64_t address, uint64_t size) {
    if (!machine->dram[bank].undefined.empty()) define_dram(machine->dram[bank], address, size);
}
}

// ---- loading ----

static void find_text(void* entry, KernelImage& image) {
    struct Search {
        uintptr_t inside;
        KernelImage* image;
    } search{reinterpret_cast<uintptr_t>(entry), &image};
    dl_iterate_phdr(
        [](dl_phdr_info* info, size_t, void* data) {
            auto& wanted = *static_cast<Search*>(data);
            for (int i = 0; i < info->dlpi_phnum; ++i) {
                const auto& header = info->dlpi_phdr[i];
                const uintptr_t begin = info->dlpi_addr + header.p_vaddr;
                if (header.p_type != PT_LOAD || wanted.inside < begin || wanted.inside >= begin + header.p_memsz)
                    continue;
                wanted.image->text = reinterpret_cast<char*>(info->dlpi_addr);
                wanted.image->text_size = begin + header.p_memsz - info->dlpi_addr;
                return 1;
            }
            return 0;
        },
        &search);
}

static bool load_image(const KernelDescription& description, int index, KernelImage& image) {
    image.entry = reinterpret_cast<void (*)()>(dlsym(description.handles[index], "ts_kernel_entry"));
    if (!image.entry) return false;
    find_text(reinterpret_cast<void*>(image.entry), image);
    image.data = image.text + description.data_offsets[index];
    image.data_size = description.data_sizes[index];
    image.pristine.assign(image.data, image.data + image.data_size);
    return true;
}

// Kernels built from the same text share one library, and so one image: its static data has one owner at a time.
static KernelImage* known_image(LoadedProgram& program, void* handle) {
    void* entry = dlsym(handle, "ts_kernel_entry");
    for (auto& kernel : program.kernels)
        for (KernelImage& image : kernel->images)
            if (image.entry && reinterpret_cast<void*>(image.entry) == entry) return &image;
    return nullptr;
}

static Core& core_of(LoadedProgram& program, uint32_t index) {
    int& slot = program.core_slot[index];
    if (slot < 0) {
        slot = static_cast<int>(program.cores.size());
        auto core = Owned<Core>::make();
        Machine& machine = *program.machine;
        core->machine = &machine;
        core->index = index;
        core->x = index % machine.config.grid_x;
        core->y = index / machine.config.grid_x;
        core->l1 = machine.core_l1(index);
        core->shadow = &machine.l1_shadow[index];
        program.cores.push_back(std::move(core));
    }
    return *program.cores[slot];
}

static void add_fiber(LoadedProgram& program, LoadedKernel& kernel, KernelImage& image, uint32_t core_index,
                      Role role) {
    auto fiber = Owned<Fiber>::make();
    fiber->core = &core_of(program, core_index);
    fiber->kernel = &kernel;
    fiber->image = &image;
    fiber->role = role;
    fiber->slot = static_cast<uint32_t>(program.fibers.size());
    fiber->core->fibers[static_cast<int>(role)] = fiber.get();
    program.fibers.push_back(std::move(fiber));
}

static bool add_kernel(LoadedProgram& program, const KernelDescription& description) {
    program.kernels.push_back(Owned<LoadedKernel>::make());
    LoadedKernel& kernel = *program.kernels.back();
    kernel.name = description.name;
    kernel.compute = description.compute;
    kernel.processor = description.processor;
    kernel.noc = description.noc;
    kernel.origin_x = description.origin_x;
    kernel.origin_y = description.origin_y;
    kernel.cores.assign(description.cores, description.cores + description.core_count);
    ComputeConfig& config = kernel.config;
    config.fidelity = static_cast<Fidelity>(description.fidelity);
    config.fp32_dest = description.fp32_dest;
    config.approx = description.approx;
    config.full_sync = description.full_sync;
    config.bfp8_pack_precise = description.bfp8_pack_precise;
    for (uint32_t i = 0; i < max_cbs; ++i) config.unpack_to_dest_fp32[i] = description.unpack_to_dest_fp32 >> i & 1;
    KernelImage* images[3] = {};
    for (int i = 0; i < (kernel.compute ? 3 : 1); ++i) {
        images[i] = known_image(program, description.handles[i]);
        if (images[i]) continue;
        if (!load_image(description, i, kernel.images[i])) return false;
        images[i] = &kernel.images[i];
    }
    for (const uint32_t core : kernel.cores) {
        if (!kernel.compute) {
            add_fiber(program, kernel, *images[0], core, kernel.processor ? Role::ncrisc : Role::brisc);
            continue;
        }
        core_of(program, core).compute = &kernel.config;
        for (int i = 0; i < 3; ++i) add_fiber(program, kernel, *images[i], core, static_cast<Role>(2 + i));
    }
    return true;
}

static void add_cb(LoadedProgram& program, const CbDescription& description) {
    for (uint32_t i = 0; i < description.core_count; ++i) {
        CbConfig& config = core_of(program, description.cores[i]).cbs[description.index].config;
        config.used = true;
        config.format = static_cast<Format>(description.format);
        config.tile = {static_cast<uint16_t>(description.tile_rows), static_cast<uint16_t>(description.tile_cols),
                       static_cast<uint16_t>(description.face_rows), static_cast<uint16_t>(description.faces)};
        config.offset = description.offset;
        config.size = description.size;
        config.page_size = description.page_size;
        config.globally_allocated = description.globally_allocated;
    }
}

static void add_semaphore(LoadedProgram& program, const LoadedProgram::SemaphoreInit& semaphore) {
    program.semaphores.push_back(semaphore);
    program.semaphores_of[semaphore.core] |= 1u << semaphore.id;
    program.semaphores_anywhere |= 1u << semaphore.id;
}

// ---- running ----

static void start_core(Run& run, Core& core) {
    core.words.clear();
    for (int noc = 0; noc < 2; ++noc) {
        core.multicast_busy[noc] = core.write_free[noc] = 0;
        core.multicast_open[noc] = false;
    }
    for (auto& row : core.mailboxes)
        for (Mailbox& box : row) box = {};
    core.compute_roles_left = core.compute ? 3 : 0;
    const MachineConfig& config = run.machine->config;
    if (run.checks) mark_initialised(*core.shadow, 0, config.l1_unreserved_base);
    memset(core.l1 + config.semaphore_base, 0, 16 * max_semaphores);
    for (CbState& cb : core.cbs) {
        if (!cb.config.used) continue;
        cb.received = cb.acked = 0;
        cb.producer = cb.consumer = -1;
        cb.slots.clear();
        cb.renewed_by = 0;
        cb.data = {};
        cb.space = {};
        cb.pushes.reset(cb.config.pages() + 1);
        cb.pops.reset(cb.config.pages() + 1);
        if (!run.checks || cb.config.globally_allocated) continue;
        mark_uninitialised(*core.shadow, cb.config.offset, cb.config.size);
        memset(core.l1 + cb.config.offset, 0xff, cb.config.size);  // poison: NaN in every float format
    }
    CbConfig configs[max_cbs];
    for (uint32_t i = 0; i < max_cbs; ++i) configs[i] = core.cbs[i].config;
    if (core.compute) core.engine = engine_new(*core.compute, configs);
}

// Arguments stand in L1, as on the chip: kernels keep their 32-bit addresses.
static const uint32_t* place_arguments(Run& run, Fiber& fiber, uint32_t slot, const uint32_t* values, uint32_t count) {
    if (count * 4 > argument_bytes) return values;
    const uint32_t offset =
        run.machine->config.argument_base + (2 * static_cast<uint32_t>(fiber.role) + slot) * argument_bytes;
    memcpy(fiber.core->l1 + offset, values, count * 4);
    return reinterpret_cast<const uint32_t*>(fiber.core->l1 + offset);
}

static void start_fiber(Run& run, Fiber& fiber, const Arguments& arguments, uint32_t position) {
    fiber.state = Fiber::State::ready;
    fiber.wait = {};
    fiber.time = fiber.waited = 0;
    for (uint64_t& cycles : fiber.work) cycles = 0;
    fiber.arg_count = arguments.offsets[position + 1] - arguments.offsets[position];
    fiber.args = place_arguments(run, fiber, 0, arguments.values + arguments.offsets[position], fiber.arg_count);
    fiber.common_count = arguments.common_count;
    fiber.common = place_arguments(run, fiber, 1, arguments.common, fiber.common_count);
    fiber.noc_state[0] = fiber.noc_state[1] = {};
    fiber.transfers.clear();
    fiber.issued = 0;
    fiber.sightings.clear();
    fiber.atomics.clear();
    fiber.stray_pages.clear();
    for (int noc = 0; noc < 2; ++noc) {
        fiber.atomics_done_at[noc] = 0;
        fiber.lost_state[noc][0] = fiber.lost_state[noc][1] = {};
        fiber.linked[noc] = false;
    }
    fiber.cached_word = nullptr;
    fiber.polls = 0;
    fiber.fabric = {};
    fiber.unacknowledged.clear();
    fiber.raw_address = nullptr;
    fiber.last_at = {};
    cb_setup(*fiber.core, fiber);
    if (run.checks) fiber.clock.start(fiber.id, run.machine->first_clock);
}

// Chips that run one kernel share its library, and so its static data.
static void share_data(Run& run, KernelImage& image) {
    image.owner = nullptr;
    image.first = &image;
    for (uint32_t chip = 0; chip < run.chip; ++chip)
        for (auto& kernel : run.chips[chip].program->kernels)
            for (KernelImage& other : kernel->images)
                if (image.entry && other.entry == image.entry) {
                    image.first = other.first;
                    return;
                }
}

static void start_chip(Run& run, const Arguments* arguments) {
    LoadedProgram& program = *run.program;
    program.findings.clear();
    program.undefined.clear();
    program.undefined_places.clear();
    program.prints.clear();
    program.zones.clear();
    program.trace = {};
    run.machine->bank_service.reset();
    for (NocLinks& noc : run.machine->nocs) noc.reset();
    for (auto& core : program.cores) start_core(run, *core);
    for (const auto& init : program.semaphores)
        memcpy(run.machine->core_l1(init.core) + run.machine->config.semaphore_base + 16 * init.id, &init.value, 4);
    size_t next = 0;
    for (size_t k = 0; k < program.kernels.size(); ++k) {
        LoadedKernel& kernel = *program.kernels[k];
        kernel.counters = {};
        for (KernelImage& image : kernel.images) share_data(run, image);
        const size_t fibers_per_core = kernel.compute ? 3 : 1;
        for (uint32_t i = 0; i < kernel.cores.size(); ++i)
            for (size_t f = 0; f < fibers_per_core; ++f) start_fiber(run, *program.fibers[next++], arguments[k], i);
    }
}

// Fibers are numbered through the run, and the clocks of all chips start at one number: epochs are compared.
static void start(Run& run, const Arguments* const* arguments) {
    uint32_t first_clock = 1;
    for (uint32_t chip = 0; chip < run.chips.size(); ++chip) {
        LoadedProgram& program = *run.chips[chip].program;
        if (first_clock < program.machine->first_clock) first_clock = program.machine->first_clock;
        for (auto& fiber : program.fibers) {
            fiber->chip = chip;
            run.fibers.push_back(fiber.get());
        }
    }
    number_fibers(run);
    for (uint32_t chip = 0; chip < run.chips.size(); ++chip) {
        enter_chip(run, chip);
        run.machine->first_clock = first_clock;
        start_chip(run, arguments[chip]);
    }
    enter_chip(run, 0);
}

static void finish_chip(Run& run) {
    LoadedProgram& program = *run.program;
    for (auto& fiber : program.fibers) {
        if (fiber->stack.base) run.machine->free_stacks.push_back(fiber->stack);
        fiber->stack = {};
    }
    for (auto& core : program.cores) {
        if (core->engine) engine_free(core->engine);
        core->engine = nullptr;
    }
    for (auto& kernel : program.kernels)
        for (KernelImage& image : kernel->images)
            if (image.entry && image.data_size) memcpy(image.data, image.pristine.data(), image.data_size);
}

static void finish(Run& run) {
    uint32_t highest = run.machine->first_clock;
    for (const Fiber* fiber : run.fibers)
        if (run.checks && highest < fiber->clock[fiber->id]) highest = fiber->clock[fiber->id];
    for (uint32_t chip = 0; chip < run.chips.size(); ++chip) {
        enter_chip(run, chip);
        run.machine->first_clock = highest + 1;
        finish_chip(run);
    }
}

static pthread_mutex_t static_data = PTHREAD_MUTEX_INITIALIZER;

static bool has_static_data(const LoadedProgram& program) {
    for (auto& kernel : program.kernels)
        for (const KernelImage& image : kernel->images)
            if (image.data_size) return true;
    return false;
}

static void add_chip(Chip& chip, LoadedProgram& program, const RunOptions& options) {
    chip.program = &program;
    chip.allocations = options.allocations;
    chip.allocation_count = options.allocation_count;
    chip.trace = options.trace ? &program.trace : nullptr;
    for (uint32_t i = 0; i < options.allocation_count; ++i)
        if (!options.allocations[i].dram) chip.l1_buffers.push_back(options.allocations[i]);
}

static uint64_t latest_cycle(const LoadedProgram& program) {
    uint64_t latest = 0;
    for (auto& fiber : program.fibers) latest = latest < fiber->time ? fiber->time : latest;
    return latest;
}

extern "C" {

LoadedProgram* tsh_program_new(Machine* machine, const KernelDescription* kernels, uint32_t kernel_count,
                               const CbDescription* cbs, uint32_t cb_count, const SemaphoreDescription* semaphores,
                               uint32_t semaphore_count) {
    auto program = Owned<LoadedProgram>::make();
    program->machine = machine;
    program->core_slot.assign(machine->core_count, -1);
    program->semaphores_of.assign(machine->core_count, 0);
    for (uint32_t i = 0; i < kernel_count; ++i)
        if (!add_kernel(*program, kernels[i])) return nullptr;
    for (uint32_t i = 0; i < cb_count; ++i) add_cb(*program, cbs[i]);
    for (uint32_t i = 0; i < semaphore_count; ++i)
        for (uint32_t c = 0; c < semaphores[i].core_count; ++c)
            add_semaphore(*program, {semaphores[i].cores[c], semaphores[i].id, semaphores[i].value});
    return program.release();
}

// A circular buffer that stands on a tensor moves with it from call to call.
void tsh_move_cb(LoadedProgram* program, const CbDescription* cb) { add_cb(*program, *cb); }

void tsh_program_free(LoadedProgram* program) { delete program; }

// Programs of as many machines run together, under one clock. Two programs of one machine never run at once: a machine
// has one set of memories. Kernels with static data share their library with every other program of the process, so
// those take turns.
void tsh_run_mesh(LoadedProgram** programs, const RunOptions* options, const Arguments* const* arguments,
                  RunResult* results, uint32_t count, const MeshConfig* mesh) {
    Run run;
    run.options = *options;
    run.checks = options->checks;
    num::use_threads(options->threads);
    run.clock = options->clock;
    run.fast = options->numbers != 0;
    run.computes = options->numbers != 2;
    run.random = options->seed * 0x9E3779B97F4A7C15ULL + 0x1234567;
    run.columns = mesh ? mesh->columns : 1;
    bool takes_turns = false, enough_memory = true;
    run.chips.resize(count);
    for (uint32_t i = 0; i < count; ++i) {
        add_chip(run.chips[i], *programs[i], options[i]);
        takes_turns = takes_turns || has_static_data(*programs[i]);
        enough_memory = enough_memory && (!run.checks || map_shadows(*programs[i]->machine));
    }
    Fabric fabric;
    if (mesh) {
        fabric.start(*mesh, count);
        for (uint32_t i = 0; i < count; ++i)
            fabric.receivers[i].kernels = static_cast<uint32_t>(programs[i]->fibers.size());
        run.fabric = &fabric;
    }
    enter_chip(run, 0);
    if (takes_turns) pthread_mutex_lock(&static_data);
    if (enough_memory) {
        current_run = &run;
        start(run, arguments);
        {
            FaultGuard guard(run);
            enough_memory = run_program(run);
        }
        run.current = nullptr;
        finish(run);
        current_run = nullptr;
    }
    if (takes_turns) pthread_mutex_unlock(&static_data);
    for (uint32_t i = 0; i < count; ++i) {
        const LoadedProgram& program = *programs[i];
        RunResult& result = results[i];
        result.cycles = latest_cycle(program);
        result.steps = run.steps;
        result.switches = run.switches;
        result.findings = static_cast<uint32_t>(program.findings.size() + program.undefined_places.size());
        result.prints = static_cast<uint32_t>(program.prints.size());
        result.zones = static_cast<uint32_t>(program.zones.size());
        result.status = !enough_memory ? 3 : run.interrupted ? 2 : run.aborted ? 1 : 0;
    }
}

void tsh_run(LoadedProgram* program, const RunOptions* options, const Arguments* arguments, RunResult* result) {
    tsh_run_mesh(&program, options, &arguments, result, 1, nullptr);
}

// Per fiber its cycles, how many of them it waited, and those of each kind of work; then the counters of each kernel:
// copied, since the next run resets
// them.
void tsh_snapshot(const LoadedProgram* program, uint64_t* times, KernelCounters* counters) {
    for (auto& fiber : program->fibers) {
        *times++ = fiber->time;
        *times++ = fiber->waited;
        for (const uint64_t cycles : fiber->work) *times++ = cycles;
    }
    for (auto& kernel : program->kernels) *counters++ = kernel->counters;
}

// What is told in words: findings, prints, zones. The text lives until the next call on this thread.
const char* tsh_report(const LoadedProgram* program) {
    static thread_local std::string text;
    text = report_json(*program);
    return text.c_str();
}
}
