// Where render strands were a frame ago, as seen from the host's origin now: by the rows of then, which `rows` is here.

ITEM_KERNEL(render_previous) {
    RENDER_BEGIN
    real3 p = render_seen(r, render_point(BUF(rows), BUF(rest), BUF(kept), r, s, v));
    output_store(BUF(memory), to, VAL(components), p, R(0.0f), shown);
}
