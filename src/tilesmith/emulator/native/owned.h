// A pointer that deletes what it points to. std::unique_ptr would do, but <memory> costs a quarter of a second of
// compile time in each translation unit, and the runtime is compiled while a user waits for the first result.
#pragma once

namespace ts {

template <class T>
class Owned {
public:
    Owned() = default;
    explicit Owned(T* object) : object_(object) {}
    Owned(Owned&& other) noexcept : object_(other.release()) {}
    Owned& operator=(Owned&& other) noexcept {
        if (this != &other) {
            delete object_;
            object_ = other.release();
        }
        return *this;
    }
    Owned(const Owned&) = delete;
    Owned& operator=(const Owned&) = delete;
    ~Owned() { delete object_; }

    static Owned make() { return Owned(new T()); }
    T* get() const { return object_; }
    T* release() {
        T* object = object_;
        object_ = nullptr;
        return object;
    }
    T& operator*() const { return *object_; }
    T* operator->() const { return object_; }

private:
    T* object_ = nullptr;
};

}  // namespace ts
