// The origin moves: root frames that no bones can give again stay where they are in the world.

KERNEL(roots_shift) {
    uint root = PACK(item) * ROOT_ROWS;
    real3 p = sub3(LD3(BUF(frames), root + ROOT_POSITION), UNIFORM3(BUF(frame), FRAME_SHIFT));
    ST3(BUF(frames), root + ROOT_POSITION, p);
}
