// Vertices go to the others of their block. Some have none, and nothing to read.

ITEM_KERNEL(volume_place) {
    lane_uint item_word = sel_uint(ACTIVE, INDEX * 2u, U(0u));
    lane_uint slot = GATHER_UINT(BUF(places), item_word);
    mask has = both(ACTIVE, not_(eq_uint(slot, U(BLOCK_NONE))));
    lane_uint number = GATHER_UINT(BUF(table), VOLUME_SLOT_WORD(sel_uint(has, slot, U(0u)), SLOT_BLOCK));
    has = both(has, not_(eq_uint(number, U(0u))));
    lane_uint start = GATHER_UINT(BUF(starts), sel_uint(has, number, U(1u)) - 1u);
    SCATTER_UINT(BUF(indices), start + GATHER_UINT(BUF(places), item_word + 1u), INDEX, has);
    mask homeless = both(ACTIVE, not_(has));
    if (any(homeless)) SCATTER_UINT(BUF(readings), INDEX * READING_WORDS + READING_VALID, U(0u), homeless);
}
