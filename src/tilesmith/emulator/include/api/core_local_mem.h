// CoreLocalMem: a typed pointer into this core's L1.
#pragma once
#include "api/lock.h"
#ifndef COMPILE_FOR_TRISC
#include "ts/dataflow/local_endpoint.h"
#endif

template <typename T, typename AddressType = uintptr_t>
class CoreLocalMem {
    using difference_type = std::ptrdiff_t;

public:
    // Addresses in L1 come as pointers or, from the host's allocator, as offsets; kept as what can be dereferenced.
    CoreLocalMem(AddressType address)
        : address_(address != 0 && address < MEM_L1_SIZE ? ts_l1_base() + address : address) {}
    CoreLocalMem(T* ptr) : address_(reinterpret_cast<AddressType>(ptr)) {}

    T* get_unsafe_ptr() const { return reinterpret_cast<T*>(static_cast<uintptr_t>(address_)); }
    AddressType get_address() const { return address_; }
    T& operator[](uint32_t index) const { return get_unsafe_ptr()[index]; }
    T& operator*() const { return *get_unsafe_ptr(); }
    T* operator->() const { return get_unsafe_ptr(); }

    CoreLocalMem& operator+=(difference_type elements) {
        address_ += elements * sizeof(T);
        return *this;
    }
    CoreLocalMem& operator-=(difference_type elements) { return *this += -elements; }
    CoreLocalMem& operator++() { return *this += 1; }
    CoreLocalMem& operator--() { return *this -= 1; }
    CoreLocalMem operator++(int) {
        auto before = *this;
        ++*this;
        return before;
    }
    CoreLocalMem operator--(int) {
        auto before = *this;
        --*this;
        return before;
    }
    CoreLocalMem operator+(difference_type elements) const { return CoreLocalMem(address_ + elements * sizeof(T)); }
    CoreLocalMem operator-(difference_type elements) const { return CoreLocalMem(address_ - elements * sizeof(T)); }
    difference_type operator-(const CoreLocalMem& other) const {
        return (static_cast<difference_type>(address_) - static_cast<difference_type>(other.address_)) /
               static_cast<difference_type>(sizeof(T));
    }
    [[nodiscard]] auto scoped_lock([[maybe_unused]] size_t num_elements) const {
        return Lock([] {});
    }

    bool operator==(const CoreLocalMem& other) const { return address_ == other.address_; }
    auto operator<=>(const CoreLocalMem& other) const { return address_ <=> other.address_; }
    explicit operator bool() const { return address_ != 0; }

private:
    AddressType address_;
};

#ifndef COMPILE_FOR_TRISC
template <typename T, typename AddressType>
struct noc_traits_t<CoreLocalMem<T, AddressType>>
    : ts::LocalEndpoint<CoreLocalMem<T, AddressType>, noc_traits_t<CoreLocalMem<T, AddressType>>> {
    struct src_args_type {
        AddressType offset_bytes = 0;
    };
    using dst_args_type = src_args_type;
    static uint32_t source(const CoreLocalMem<T, AddressType>& memory) {
        return static_cast<uint32_t>(memory.get_address());
    }
    static uint32_t destination(const CoreLocalMem<T, AddressType>& memory) { return source(memory); }
    template <Noc::AddressType type>
    static uint32_t src_addr(const CoreLocalMem<T, AddressType>& memory, const Noc&, const src_args_type& args) {
        static_assert(type == Noc::AddressType::LOCAL_L1, "CoreLocalMem is in local L1, not across the NoC");
        return source(memory) + static_cast<uint32_t>(args.offset_bytes);
    }
    template <Noc::AddressType type>
    static uint32_t dst_addr(const CoreLocalMem<T, AddressType>& memory, const Noc& noc, const dst_args_type& args) {
        return src_addr<type>(memory, noc, args);
    }
};
template <typename T, typename AddressType>
inline constexpr bool noc_zero_l1_endpoint_v<CoreLocalMem<T, AddressType>> = true;
#endif
