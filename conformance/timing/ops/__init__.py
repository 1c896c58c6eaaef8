"""Operations with published device times, as programs after the vendor's factories and kernels."""
