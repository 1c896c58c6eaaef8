// The exact reciprocal: up to release 0.77 it is asked for by a flag, later there is no other.
template <bool legacy>
ALWI auto exact_recip_tile_init(int) -> decltype(recip_tile_init<legacy>()) {
    recip_tile_init<legacy>();
}
template <bool legacy>
ALWI void exact_recip_tile_init(long) {
    recip_tile_init();
}
template <bool legacy>
ALWI auto exact_recip_tile(uint32_t dst, int) -> decltype(recip_tile<legacy>(dst)) {
    recip_tile<legacy>(dst);
}
template <bool legacy>
ALWI void exact_recip_tile(uint32_t dst, long) {
    recip_tile(dst);
}
