// Words to where indices say, each to a place of its own.

ITEM_KERNEL(scatter) { SCATTER_UINT(BUF(to), LOAD_UINT(BUF(indices), item), LOAD_UINT(BUF(from), item), ACTIVE); }
