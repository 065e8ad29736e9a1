// The box around strands, before output_position or render_position widens it: nothing.

ITEM_KERNEL(bounds_reset) {
    lane_uint nothing = sel_uint(lt_uint(INDEX, U(3u)), U(0xffffffffu), U(0u));
    SCATTER_UINT(BUF(status), INDEX + VAL(at), nothing, ACTIVE);
}
