// Which block each vertex is in: its slot in the table of blocks, which the first one takes, and a place among the vertices
// there. Which slot a key gets and which place a vertex depends on who comes first. Nothing that matters does: blocks are found
// by their keys, and volume_to_grid puts the vertices of a block in order.

ITEM_KERNEL(volume_bin) {
    lane_uint key = LOAD_UINT(BUF(keys), item);
    uint slots = volume_slots(VAL(shift));
    lane_uint slot = VOLUME_SLOT(key, VAL(shift));
    lane_uint found = U(BLOCK_NONE);
    mask seeks = ACTIVE;
    for (uint tries = 0u; tries < slots; tries++) {
        lane_uint there = ATOMIC_CLAIM(BUF(table), VOLUME_SLOT_WORD(slot, SLOT_KEY), key, seeks);
        mask first = both(seeks, eq_uint(there, U(0u)));
        if (any(first)) {
            lane_uint number = ATOMIC_TAKE(BUF(table), U(TABLE_CLAIMS), U(1u), first);
            SCATTER_UINT(BUF(list), number, slot, both(first, lt_uint(number, U(VAL(most)))));
            there = sel_uint(first, key, there);
        }
        mask here = both(seeks, eq_uint(there, key));
        found = sel_uint(here, slot, found);
        seeks = both(seeks, not_(here));
        if (!any(seeks)) break;
        slot = sel_uint(seeks, (slot + 1u) & (slots - 1u), slot);
        // With too many blocks nobody has a place, so nobody needs to look any further.
        if (tries % 16u == 15u && any(lt_uint(U(VAL(most)), ATOMIC_TAKE(BUF(table), U(TABLE_CLAIMS), U(0u), seeks))))
            break;
    }
    mask has = both(ACTIVE, not_(eq_uint(found, U(BLOCK_NONE))));
    lane_uint counter = VOLUME_SLOT_WORD(sel_uint(has, found, U(0u)), SLOT_COUNT);
    lane_uint before = ATOMIC_TAKE(BUF(table), counter, U(1u), has);
    SCATTER_UINT(BUF(places), INDEX * 2u, found, ACTIVE);
    SCATTER_UINT(BUF(places), INDEX * 2u + 1u, before, ACTIVE);
}
