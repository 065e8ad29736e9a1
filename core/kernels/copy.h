// Words from one array to another.

ITEM_KERNEL(copy) { STORE_UINT(BUF(to), item, LOAD_UINT(BUF(from), item), ACTIVE); }
