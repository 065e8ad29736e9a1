// The blocks that vertices are in, one for each run of equal keys: where each is, and which are its neighbours. Those beyond
// the capacity have no place.

// The run that begins with a key, or the last one before where it would be.
FN lane_uint volume_find(buffer_ref keys, buffer_ref starts, uint runs, lane_uint key) {
    uint top = 1u;
    while (top * 2u < runs) top = top * 2u;
    lane_uint found = U(0u);
    for (uint width = top; width > 0u; width = width / 2u) {
        lane_uint next = found + width;
        lane_uint probe = min_uint(next, U(runs - 1u));
        lane_uint there = GATHER_UINT(keys, GATHER_UINT(starts, probe));
        mask on = both(lt_uint(next, U(runs)), not_(lt_uint(key, there)));
        found = sel_uint(on, next, found);
    }
    return found;
}

ITEM_KERNEL(volume_blocks) {
    uint runs = UNIFORM_UINT(BUF(runs), 0u);
    if (runs > VAL(capacity)) runs = VAL(capacity);
    lane_uint block = min_uint(INDEX, U(runs - 1u)); // lanes beyond the end have something to look at
    lane_uint record = GATHER_UINT(BUF(indices), GATHER_UINT(BUF(starts), block)) * RECORD_WORDS + RECORD_CELL;
    lane_uint cell_x = GATHER_UINT(BUF(records), record);
    lane_uint cell_y = GATHER_UINT(BUF(records), record + 1u);
    lane_uint cell_z = GATHER_UINT(BUF(records), record + 2u);
    cell_x = cell_x - cell_x % VOLUME_CELLS;
    cell_y = cell_y - cell_y % VOLUME_CELLS;
    cell_z = cell_z - cell_z % VOLUME_CELLS;
    lane_uint to = block * BLOCK_UINTS;
    for (uint n = 0u; n < 27u; n++) {
        lane_uint x = cell_x + VOLUME_CELLS * (n / 9u) - VOLUME_CELLS;
        lane_uint y = cell_y + VOLUME_CELLS * (n / 3u % 3u) - VOLUME_CELLS;
        lane_uint z = cell_z + VOLUME_CELLS * (n % 3u) - VOLUME_CELLS;
        lane_uint found = volume_find(BUF(keys), BUF(starts), runs, volume_key(x, y, z));
        lane_uint other = GATHER_UINT(BUF(indices), GATHER_UINT(BUF(starts), found)) * RECORD_WORDS + RECORD_CELL;
        mask same = eq_uint(GATHER_UINT(BUF(records), other) / VOLUME_CELLS, x / VOLUME_CELLS);
        same = both(same, eq_uint(GATHER_UINT(BUF(records), other + 1u) / VOLUME_CELLS, y / VOLUME_CELLS));
        same = both(same, eq_uint(GATHER_UINT(BUF(records), other + 2u) / VOLUME_CELLS, z / VOLUME_CELLS));
        SCATTER_UINT(BUF(blocks), to + (BLOCK_NEIGHBOURS + n), sel_uint(same, found, U(BLOCK_NONE)), ACTIVE);
    }
    SCATTER_UINT(BUF(blocks), to + BLOCK_CELL, cell_x, ACTIVE);
    SCATTER_UINT(BUF(blocks), to + (BLOCK_CELL + 1u), cell_y, ACTIVE);
    SCATTER_UINT(BUF(blocks), to + (BLOCK_CELL + 2u), cell_z, ACTIVE);
    SCATTER_UINT(BUF(groups), U(0u), U(runs * VOLUME_WORK), both(ACTIVE, eq_uint(INDEX, U(0u))));
}
