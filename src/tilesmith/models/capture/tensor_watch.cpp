// What Python would ask hundreds of tensors one by one: their versions and places, and who holds storages.

#include <c10/core/StorageImpl.h>
#include <c10/core/TensorImpl.h>

#include <cstdint>

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

// The first of some storages that is held by more, or by fewer, than it was; -1 if none is.
extern "C" std::int64_t first_held(c10::StorageImpl* const* storages, const std::uint64_t* counts, std::int64_t count) {
    for (std::int64_t i = 0; i < count; ++i)
        if (c10::raw::intrusive_ptr::use_count(storages[i]) != counts[i]) return i;
    return -1;
}
