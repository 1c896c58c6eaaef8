// What Python would ask hundreds of tensors one by one: their versions and places, and who holds storages; and of
// dictionaries, whether they were written to.

#include <c10/core/StorageImpl.h>
#include <c10/core/TensorImpl.h>
#include <c10/core/UndefinedTensorImpl.h>

#include <cstdint>
#include <cstring>

// Of Python itself, which has loaded this.
extern "C" void* PyList_New(std::intptr_t size);
extern "C" int PyList_SetItem(void* list, std::intptr_t index, void* item);

// The first of some Python objects of tensors that was written to or moved; -1 if none was. `offset` is where
// such an object keeps its tensor.
extern "C" std::int64_t first_changed(const char* const* objects, std::int64_t offset, const std::uint32_t* versions,
                                      const void* const* places, std::int64_t count) {
    for (std::int64_t i = 0; i < count; ++i) {
        const auto* tensor = *reinterpret_cast<const c10::TensorImpl* const*>(objects[i] + offset);
        try {
            if (tensor->version_counter().current_version() != versions[i] || tensor->data() != places[i]) return i;
        } catch (...) {  // it has become a tensor without versions or without memory
            return i;
        }
    }
    return -1;
}

// The versions that Python 3.11 counts for dictionaries, `offset` bytes into each.
extern "C" void versions_of(const char* const* tables, std::int64_t offset, std::uint64_t* versions,
                            std::int64_t count) {
    for (std::int64_t i = 0; i < count; ++i) std::memcpy(&versions[i], tables[i] + offset, sizeof(*versions));
}

// The first of some dictionaries that has another version; -1 if none has.
extern "C" std::int64_t first_written(const char* const* tables, std::int64_t offset, const std::uint64_t* versions,
                                      std::int64_t count) {
    for (std::int64_t i = 0; i < count; ++i)
        if (std::memcmp(&versions[i], tables[i] + offset, sizeof(*versions)) != 0) return i;
    return -1;
}

// The first of some storages that is held by more, or by fewer, than it was; -1 if none is.
extern "C" std::int64_t first_held(c10::StorageImpl* const* storages, const std::uint64_t* counts, std::int64_t count) {
    for (std::int64_t i = 0; i < count; ++i)
        if (c10::raw::intrusive_ptr::use_count(storages[i]) != counts[i]) return i;
    return -1;
}

// A tensor as torch's own functions take it: what at::TensorBase has inside.
using Held = c10::intrusive_ptr<c10::TensorImpl, c10::UndefinedTensorImpl>;

// A Python list of other tensors with the same memory as these, without history; `wrap` is torch's function that
// makes a Python object of a tensor.
extern "C" void* aliases(const char* const* objects, std::int64_t offset, std::int64_t count,
                         void* (*wrap)(const Held&)) {
    void* list = PyList_New(count);
    for (std::int64_t i = 0; list != nullptr && i < count; ++i) {
        const auto* tensor = *reinterpret_cast<const c10::TensorImpl* const*>(objects[i] + offset);
        const Held alias(tensor->shallow_copy_and_detach(c10::VariableVersion(0), true));
        void* object = wrap(alias);
        if (object == nullptr) return nullptr;
        PyList_SetItem(list, i, object);
    }
    return list;
}
