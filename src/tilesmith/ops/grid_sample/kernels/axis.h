// One axis of the image: where a normalised coordinate falls on it, in pixels, as torch counts them.
#pragma once
#include <cstdint>

enum class Padding : uint32_t { zeros, border, reflection };

// Two neighbouring pixels around a place, and the share of the second. `outside` is neither's number.
struct Neighbours {
    int32_t first;
    float second_share;
};

constexpr int32_t outside = -2;

class Axis {
public:
    Axis(uint32_t size, bool align_corners, Padding padding)
        : size_(static_cast<int32_t>(size)),
          padding_(padding),
          scale_((align_corners ? size - 1 : size) * 0.5f),
          first_edge_(align_corners ? 0.0f : -0.5f),
          period_((align_corners ? size - 1 : size) * 2.0f) {}

    bool has(int32_t pixel) const { return pixel >= 0 && pixel < size_; }

    // The pixel at a coordinate, or `outside`. Half-way goes to the even neighbour.
    int32_t nearest(float coordinate) const {
        const float place = place_of(coordinate);
        if (!(place >= -0.5f && place <= static_cast<float>(size_))) return outside;  // NaN too
        const int32_t below = floor(place);
        const float over = place - static_cast<float>(below);
        const int32_t pixel = below + (over > 0.5f || (over == 0.5f && (below & 1)));
        return has(pixel) ? pixel : outside;
    }

    Neighbours neighbours(float coordinate) const {
        const float place = place_of(coordinate);
        if (!(place > -1.0f && place < static_cast<float>(size_))) return {outside, 0.0f};  // NaN too
        const int32_t below = floor(place);
        return {below, place - static_cast<float>(below)};
    }

private:
    // Every step rounds to a float of its own, in torch's order: half-way places must come out alike.
    float place_of(float coordinate) const {
        const float place = (coordinate + 1.0f) * scale_ + first_edge_;
        if (padding_ == Padding::zeros) return place;
        return clamped(padding_ == Padding::reflection ? reflected(place) : place);
    }

    float reflected(float place) const {
        if (period_ == 0.0f) return 0.0f;
        const float distance = place < first_edge_ ? first_edge_ - place : place - first_edge_;
        const float periods = distance / period_;
        // From 2^24 on every float is whole; converting a larger one to an integer would overflow.
        const float whole = periods < 16777216.0f ? static_cast<float>(static_cast<int32_t>(periods)) : periods;
        const float into = distance - whole * period_;
        const float back = period_ - into;
        return (into < back ? into : back) + first_edge_;
    }

    float clamped(float place) const {
        const float last = static_cast<float>(size_ - 1);
        if (!(place > 0.0f)) return 0.0f;  // NaN too
        return place < last ? place : last;
    }

    static int32_t floor(float place) {
        const int32_t toward_zero = static_cast<int32_t>(place);
        return toward_zero - (static_cast<float>(toward_zero) > place);
    }

    int32_t size_;
    Padding padding_;
    float scale_;
    float first_edge_;
    float period_;
};
