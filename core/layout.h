// Layout of packed data, shared by core and the kernels. A pack is W strands side by side; a row is one value for each
// of them. Vertex data of a pack lies vertex by vertex, so that vertex v of a pack begins at row
// components * (first + v), `first` from the pack table. Lanes without a strand, and vertices beyond the end of a
// shorter strand, hold segments of length zero: they are computed too, without effect, instead of being branched on.
#ifndef PLAIT_LAYOUT_H
#define PLAIT_LAYOUT_H

// Pack table, uniform uints per pack.
#define PACK_FIRST 0u
#define PACK_VERTICES 1u
#define PACK_UINTS 2u

// Strand table, rows of uints per pack.
#define STRAND_VERTICES 0u // 0: no strand in this lane
#define STRAND_OUTPUT 1u   // index of its root vertex in the host's order
#define STRAND_UINT_ROWS 2u

// Root binding, rows per pack: position in the bind pose, metres, and weights. The bones are in separate rows of uints.
#define BIND_POSITION 0u
#define BIND_SIDE 3u
#define BIND_NORMAL 6u
#define BIND_WEIGHTS 9u
#define BIND_ROWS 13u
#define BIND_BONE_ROWS 4u

// Roots on a mesh, rows per pack. The triangle's axes at rest: along its first edge, in its plane across that, its normal. The
// corners are in separate rows of uints.
#define MESH_WEIGHT1 0u // barycentric coordinates of the second and third corner
#define MESH_WEIGHT2 1u
#define MESH_OFFSET 2u // from there to the root, m, in the axes of the root frame
#define MESH_SIDE 5u   // of the root frame, in the triangle's axes
#define MESH_NORMAL 8u
#define MESH_PER_LENGTH 11u // one over the length of the first edge at rest, 1/m
#define MESH_PER_HEIGHT 12u // one over the height above it
#define MESH_LEAN 13u       // how far along the first edge the third corner is, times both
#define MESH_ROWS 14u
#define MESH_CORNER_ROWS 3u

// Root frames in the world, rows per pack: origin, two orthogonal unit vectors, uniform scale.
#define ROOT_POSITION 0u
#define ROOT_SIDE 3u
#define ROOT_NORMAL 6u
#define ROOT_SCALE 9u
#define ROOT_ROWS 10u

// Rest shape, rows per vertex: unit direction of the segment that ends here in its parent's frame, and its length.
#define TARGET_DIRECTION 0u
#define TARGET_LENGTH 3u
#define TARGET_ROWS 4u

// Bones as the root kernel reads them, floats per bone: skinning matrix (3x4 row-major) and its uniform scale.
#define BONE_SCALE 12u
#define BONE_FLOATS 16u

// Values of one step, uniform floats.
#define FRAME_STEP 0u         // s
#define FRAME_STEP_INVERSE 1u // 1/s
#define FRAME_GRAVITY 2u      // m/s^2
#define FRAME_WIND 5u         // m/s
#define FRAME_COLLIDERS 8u    // uint: how many are enabled
#define FRAME_SHIFT 9u        // m: by how much the origin moves, not in a step but before it
#define FRAME_ROOTS 12u       // how far roots on a mesh are from the last frame's place to this one's, 0 to 1
#define FRAME_FLOATS 16u

// Values of one output, uniform.
#define OUTPUT_MODE 0u   // uint, OUTPUT_AS_IS and so on
#define OUTPUT_KNOWN 1u  // uint: 1 when the history of positions is valid
#define OUTPUT_UNITS 2u  // host units per metre
#define OUTPUT_BLEND 3u  // between the last two steps, 0 to 1
#define OUTPUT_ORIGIN 4u // the host's origin as seen from ours, host units: the sum of two floats
#define OUTPUT_ORIGIN_REST 7u
#define OUTPUT_MOVED 10u      // m: by how much our origin has moved since the history was written
#define OUTPUT_ROWS_KNOWN 13u // uint: 1 when the rows of render strands of the frame before are valid
#define OUTPUT_AS_IS 0u       // the frame ends with a step
#define OUTPUT_CARRIED 1u     // rigidly from the roots of the last step to those of the frame
#define OUTPUT_BLENDED 2u     // between the last two steps, each as its own roots see it, at the roots of the frame

// Colliders in the world, uniform floats each. A sphere is a capsule of length zero.
#define COLLIDER_BASE 0u    // centre of the first sphere, or a point of the half-space's plane
#define COLLIDER_AXIS 3u    // unit vector to the second sphere, or the plane's outward normal
#define COLLIDER_SIDE 6u    // a unit vector across the axis: the way out for points on the axis
#define COLLIDER_LENGTH 9u  // between the centres
#define COLLIDER_RADIUS 10u // of the first sphere
#define COLLIDER_SLOPE 11u  // radius lost per length along the axis
#define COLLIDER_LEAN 12u   // tangent of the angle by which the surface normal leans along the axis
#define COLLIDER_REACH 13u  // larger radius, for quick rejection
#define COLLIDER_FRICTION 14u
#define COLLIDER_IS_PLANE 15u // uint
#define COLLIDER_SLIP 16u     // 3x4: displacement of the material point at x during the step
#define COLLIDER_FLOATS 28u

#define CONTACT_RUN 4u         // vertices that share a list of near colliders
#define CONTACT_LIST_WORDS 2u  // of a list, per collider: see contact_lists
#define CONTACT_TABLE_WORDS 8u // and where lanes go together

// Constants of solver shape, rows per pack.
#define SHAPE_SOFTNESS 0u      // XPBD compliance over the step squared, at the root, 1/m^2
#define SHAPE_SOFTNESS_STEP 1u // added per vertex
#define SHAPE_KEEP 2u          // velocity kept over a step
#define SHAPE_WIND_GAIN 3u     // of the wind's velocity
#define SHAPE_ROOT_GAIN 4u     // of the root's velocity
#define SHAPE_CORRECTION 5u    // of the child's distance correction that goes into the parent's velocity, 1/s
#define SHAPE_RADIUS 6u        // m, for collisions
#define SHAPE_FRICTION 7u
#define SHAPE_LENGTH 8u         // rest length of the strand, m
#define SHAPE_LENGTH_INVERSE 9u // 0 for an empty lane
#define SHAPE_DAMPING 10u       // of bending, beside the shape constraint whose weight is one
#define SHAPE_RUN_LENGTH 11u    // at most, of CONTACT_RUN segments in a row, m
#define SHAPE_LAG 12u  // share of its velocity that a vertex keeps whatever constraints do; 0 up to 240 steps a second
#define SHAPE_RATE 13u // the other share, over the step, 1/s
#define SHAPE_ROWS 14u

// Rods at rest, rows per vertex: values of its joint and of the edge to the next vertex. All is divided by the
// mean mass of the strand's vertices. Stiffnesses are square roots, so that a derivative times one is a row of J with
// J^T J the stiffness matrix. An edge's angle is taken times the edge's length, so that all unknowns are lengths.
#define ROD_CURVATURE1 0u // at rest, integrated
#define ROD_CURVATURE2 1u
#define ROD_TWIST 2u
#define ROD_BEND1 3u   // sqrt(E I1 / l / m), m/s
#define ROD_BEND2 4u   // sqrt(E I2 / l / m)
#define ROD_TORSION 5u // sqrt(G J / l / m)
#define ROD_STRETCH 6u // sqrt(E A / length / m), 1/s
#define ROD_LENGTH 7u  // of the edge, m; 0 beyond the end
#define ROD_MASS 8u    // of the vertex; 1 is the mean
#define ROD_INERTIA 9u // of the edge about its axis, over its length squared
#define ROD_ROWS 10u

// State of rods besides positions and velocities, rows per vertex: twist of the joint, and angular velocity of the edge
// to the next vertex about its axis, rad/s.
#define SPIN_TWIST 0u
#define SPIN_RATE 1u
#define SPIN_ROWS 2u

// Constants of solver hybrid, rows per pack.
#define HYBRID_DRAG 0u    // 1/s
#define HYBRID_DAMPING 1u // s
#define HYBRID_HELD_BLEND 2u
#define HYBRID_MAX_SPEED 3u // of roots, m/s
#define HYBRID_MAX_TURN 4u  // rad/s
#define HYBRID_RADIUS 5u    // m, for collisions
#define HYBRID_FRICTION 6u
#define HYBRID_LENGTH 7u         // of the strand as drawn, m
#define HYBRID_LENGTH_INVERSE 8u // 0 for an empty lane
#define HYBRID_ROOT_COSINE 9u    // by which the first edge's director is turned from its root frame's side
#define HYBRID_ROOT_SINE 10u
#define HYBRID_RUN_LENGTH 11u // at most, of CONTACT_RUN segments in a row, m
#define HYBRID_LIGHTEST 12u   // square root of the least mass of a vertex; 1 is the mean
#define HYBRID_ROWS 13u

// Values that the kernels of rods pass on within a step, rows per vertex. "Ahead": where vertices are at the end of the step
// if they go on as they do.
#define WORK_DIRECTOR 0u // ahead, first material director of the edge from here to the next
#define WORK_TWIST 3u    // ahead, of the joint
#define WORK_START 4u    // velocity that the step begins with
#define WORK_TOUCH 7u    // what surfaces add to the system: a symmetric block (xx xy xz yy yz zz) and an impulse
#define WORK_PUSH 13u
#define WORK_JOINT 16u // three strains (two curvatures, twist): derivatives by both edges and their angles, scaled
#define WORK_STRAIN_ROWS 8u
#define WORK_EDGE 40u // derivative of the edge's stretch, scaled, and the lateral stiffness from its tension
#define WORK_TENSION 43u
#define WORK_SWERVE 44u  // what bending adds to the edge's angle in the matrix, see rod_build
#define WORK_TANGENT 45u // ahead, of the edge from here to the next
#define WORK_ROWS 48u

// How carefully a strand goes: rows per strand, kept from step to step.
#define CARE_PARTS 0u   // of its steps: 1 (or 0), 2 or 4
#define CARE_MOST 1u    // square of the largest turn of an edge that a solution brought so far in this step
#define CARE_TREMBLE 2u // least parts, of a strand that trembled on a surface: 2 or 4 until it moves on; else 0 or 1
#define CARE_DONE 3u    // parts of this step that are done; 4 when all are
#define CARE_AGAIN 4u   // 1: the last solution was not taken, only its velocities as a guess for the next
#define CARE_ROWS 5u
#define CARE_TURNS 4u // solutions that a strand can have in a step

// What a sweep keeps of the last vertices, see rod_solve: rows per strand.
#define SWEEP_EDGES 0u // two edges
#define SWEEP_EDGE 17u
#define SWEEP_JOINT 34u // three strains
#define SWEEP_OPEN 61u  // columns that are not whole yet
#define SWEEP_ROWS 97u

// The clamp at the root at the end of a step: rows per strand. It goes on as the first edge was drawn.
#define CLAMP_TANGENT 0u
#define CLAMP_DIRECTOR 3u
#define CLAMP_RATE 6u // change of its tangent, 1/s
#define CLAMP_SPIN 9u // about itself, rad/s
#define CLAMP_ROWS 10u

// Band systems, 4 unknowns a vertex: x, y, z and the twist of the segment that begins there. Rows per unknown: its
// column of the matrix from the diagonal down, zero beyond the end of the strand.
#define BAND_HALF 10u // rows below the diagonal
#define BAND_ROWS 11u
// Least pivots, rows per pack.
#define BAND_FLOOR_X 0u     // of x, y and z
#define BAND_FLOOR_THETA 1u // of twists
#define BAND_FLOOR_ROWS 2u

// Hair-hair forces. The grid is made of blocks of cells; a vertex belongs to the cell of the first of the three nodes that it
// shares along each axis. A block has the nodes of all its vertices, those it shares with its neighbours included.
#define VOLUME_CELLS 4u   // of a block along an axis
#define VOLUME_SIDE 6u    // nodes of it
#define VOLUME_STRIDE 6u  // from one row of nodes along z to the next
#define VOLUME_NODES 216u // that a block has
#define VOLUME_NODE(x, y, z) (((x)*VOLUME_SIDE + (y)) * VOLUME_STRIDE + (z))
#define VOLUME_SHARED 1296u    // floats of all nodes of a block: six each
#define VOLUME_ORIGIN 2097152u // number of the cell at the origin, along each axis
#define VOLUME_REACH 1048576u  // cells from there to the last that has a number
#define VOLUME_KEY_BITS                                                                                                \
    10u                   // of a block along an axis: 1024 blocks apart, two have one key, and only one of them a place
#define VOLUME_WORK 4096u // words that a block counts for when blocks are dealt out to threads
#define VOLUME_LIST 1024u // vertices of a block that a group puts in order at a time

// The blocks that vertices are in: an open hash table by key, of a power of two of slots, half of which may be taken.
#define TABLE_CLAIMS 0u // word: how many slots are taken, or more when they are too many
#define TABLE_SLOTS 32u // word that the first slot begins with
#define SLOT_KEY 0u     // 0: it is free
#define SLOT_COUNT 1u   // vertices of the block
#define SLOT_BLOCK 2u   // its number, from 1 on; 0: it has none
#define SLOT_WORDS 4u

// Floats of a node before its velocity is known: mass, momentum, impulse, one unused. And then: velocity at the end and at the
// beginning of the step, four floats each.
#define VOLUME_NODE_FLOATS 8u
#define NODE_MASS 0u
#define NODE_MOMENTUM 1u
#define NODE_IMPULSE 4u
#define NODE_VELOCITY 0u
#define NODE_BEFORE 4u

// Words of a block: the number of its first cell along each axis, and where the CPU has them, which of its rows of nodes along z
// have something: bit x * VOLUME_SIDE + y of two words.
#define BLOCK_CELL 0u
#define BLOCK_ROWS 4u
#define BLOCK_UINTS 6u
#define BLOCK_NONE 0xffffffffu

// Constants, rows per vertex.
#define VOLUME_MASS 0u   // kg; 0 for padding
#define VOLUME_HELD 1u   // uint: 1 if it goes with the bones
#define VOLUME_NUMBER 2u // uint: where its records are; padding has numbers of its own behind
#define VOLUME_ROWS 3u

// State, rows per vertex: the elastic left Cauchy-Green tensor less one (xx xy xz yy yz zz), and the volume gained.
#define STRAIN_EXCESS 6u
#define STRAIN_ROWS 7u

// What the grid gets to know of a vertex, words each, by its number.
#define RECORD_MASS 0u
#define RECORD_MOMENTUM 1u
#define RECORD_IMPULSE 4u    // per derivative of a weight: a symmetric matrix
#define RECORD_FROM_BASE 10u // cells from its first node
#define RECORD_CELL 13u      // uints
#define RECORD_WORDS 16u

// What a vertex gets to know from the grid, in that order, too: velocities of the nodes around it at the end and at the beginning of the step,
// derivatives of the former by place (x by x, y by x, ...), per cell, and whether there was a grid at all.
#define READING_VELOCITY 0u
#define READING_BEFORE 3u
#define READING_GRADIENT 6u
#define READING_VALID 15u // uint
#define READING_WORDS 16u

// Parameters, uniform.
#define VOLUME_CELL 0u // m
#define VOLUME_CELL_INVERSE 1u
#define VOLUME_PART 2u // one over the grid's steps in one of the solver
#define VOLUME_SHEAR 3u
#define VOLUME_COMPRESSION 4u
#define VOLUME_CONE 5u
#define VOLUME_FLUID 6u       // uint
#define VOLUME_STRESS_GAIN 7u // volume of a kilogram over the cell, m^2/kg
#define VOLUME_FLIP 8u
#define VOLUME_LOOSE_CLOSING 9u // the two bounds of separable FLIP
#define VOLUME_LOOSE_OPENING 10u
#define VOLUME_STRENGTH 11u
#define VOLUME_MOTION 12u // uint: 1 if velocities hold more than motion
#define VOLUME_FLOATS 16u

// Render strands. What a guide's vertices have done since the bind pose, rows per vertex: where it is, metres, where its turn
// takes the x and the y axis, and its strand's scale.
#define GUIDE_POINT 0u
#define GUIDE_X 3u
#define GUIDE_Y 6u
#define GUIDE_SCALE 9u
#define GUIDE_ROWS 10u

// Guides in the bind pose, rows per vertex: its frame (of vertex 0: that of the root), and where it is, host units from the middle
// of the guides.
#define GUIDE_REST_SIDE 0u
#define GUIDE_REST_TANGENT 3u
#define GUIDE_REST_POINT 6u
#define GUIDE_REST_ROWS 9u

// A row is a guide as strands of some vertex count see it: for every vertex the transform that carries what a strand is in the bind
// pose, seen from its root, along, host units: columns x, y and z, a shift, and the scale of radii. The strand's root itself is
// carried by the columns of the row's first vertex. Component by component, one float a vertex.
#define RENDER_ROW_SHIFT 9u
#define RENDER_ROW_SCALE 12u
#define RENDER_ROW_FLOATS 13u

// What makes the vertices of rows, words each, word by word: guide vertex before it (its row of vertices times 32, plus its
// lane), share of the way to the next, which is not read where that is 0, where its first float goes, how many vertices the row has,
// and the guide's root (as the first).
#define ROW_ITEM_SOURCE 0u
#define ROW_ITEM_SHARE 1u
#define ROW_ITEM_PLACE 2u
#define ROW_ITEM_COUNT 3u
#define ROW_ITEM_ROOT 4u
#define ROW_ITEM_WORDS 5u

#define RENDER_MOST_VERTICES 1024u // of a strand, at most

// A render strand, words each.
#define RENDER_FIRST 0u   // number of its first vertex among those of all, in the order of this table
#define RENDER_COUNT 1u   // of its vertices
#define RENDER_NUMBER 2u  // in the host's order
#define RENDER_OUTPUT 3u  // vertex in the host's order
#define RENDER_STEP 4u    // real: one over the count of its segments
#define RENDER_WEIGHTS 5u // reals, of its second to fourth guide
#define RENDER_ROWS 8u    // of its guides, nearest first: their first words
#define RENDER_GROUP 12u
#define RENDER_ROOT 13u // reals: its root in the bind pose, host units from the middle of the guides
#define RENDER_STRAND_WORDS 16u

// Its vertices in the bind pose, host units from its root: x, y, z and radius, each for all of the strand.
#define RENDER_REST_RADIUS 3u
#define RENDER_REST_FLOATS 4u

// What render_lengths keeps of a strand, words each, and then three floats a vertex: x, y and z that are to be taken from it, each for
// all of the strand.
#define RENDER_KEPT_FROM                                                                                               \
    0u // uint: number of the first vertex that something is taken from; before it they hold anything
#define RENDER_KEPT_BASE 1u   // reals: where its nearest guide takes its root
#define RENDER_KEPT_CHANGE 4u // reals: from there to where all of them do
#define RENDER_KEPT_WORDS 7u
#define RENDER_KEPT_FLOATS 3u

// Values of one output of render strands, uniform.
#define RENDER_SINGLE 0u        // at the root
#define RENDER_SINGLE_CHANGE 1u // from there to the tip
#define RENDER_WIDTH 2u         // the same of radii
#define RENDER_WIDTH_CHANGE 3u
#define RENDER_SLIDES 4u // uint: 1 if vertices are not where they were drawn along the strand
#define RENDER_STRIDE 5u // vertices as drawn, from one to the next
#define RENDER_LENGTH 6u // share of the strand that is left
#define RENDER_LENGTH_INVERSE 7u
#define RENDER_SHOWN 8u        // uint: strands from this number on are not written
#define RENDER_FADE 9u         // number of the strand that has no width any more
#define RENDER_SLOPE 10u       // width over numbers before that
#define RENDER_STYLED 11u      // uint: 1 if groups have styles
#define RENDER_BOX 12u         // least corner of what 16-bit positions are relative to, as the host sees it
#define RENDER_BOX_INVERSE 15u // one over its sizes
#define RENDER_RADIUS_INVERSE 18u
#define RENDER_COLLIDERS 19u        // uint: that push vertices out
#define RENDER_COLLIDERS_BEFORE 20u // in the frame before
#define RENDER_SETTING_WORDS 24u

// Styles of render strands, words per group; lengths in host units.
#define STYLE_LENGTH 0u // share of the strand that is left
#define STYLE_LENGTH_INVERSE 1u
#define STYLE_WIDTH 2u // of radii, at the root
#define STYLE_WIDTH_CHANGE 3u
#define STYLE_SCATTER 4u
#define STYLE_CLUMP 5u       // how far tips go to the middle of their clump
#define STYLE_CLUMP_BEGIN 6u // share of the strand
#define STYLE_CLUMP_SLOPE 7u // one over what is left behind that
#define STYLE_CURL 8u        // radius
#define STYLE_TURNS 9u       // over length
#define STYLE_FRIZZ 10u      // amplitude
#define STYLE_WAVES 11u      // over length
#define STYLE_SEED 12u       // uint
#define STYLE_WORDS 16u

// What styles need to know of render vertices in the bind pose, laid out as these: two unit vectors across the strand, which turn
// with it and not about it, and the length of the strand up to here.
#define STYLE_SIDE 0u
#define STYLE_UP 3u
#define STYLE_ALONG 6u
#define STYLE_FRAME_FLOATS 7u

// Results per strand, rows per pack.
#define RESULT_STRETCH 0u // length over rest length
#define RESULT_ROWS 1u

// What is watched of strands, rows per pack.
#define WATCH_REST_TURNING 0u // of the groom: angles between segments in a row, all together, radians
#define WATCH_KNOTTED_S 1u // for how long it has turned by more than WATCH_KNOT beyond that; WATCH_LOOSE: it does not
#define WATCH_FASTEST 2u   // speed of the fastest vertex in the last step, m/s
#define WATCH_SPEED2 3u    // squares of the speeds of all vertices, m^2/s^2
#define WATCH_ROWS 4u
#define WATCH_KNOT 9.42477796f // 540 degrees
#define WATCH_LOOSE (-1.0f)

// Values of one look at them, uniform.
#define WATCH_STEP_INVERSE 0u // 1/s
#define WATCH_ELAPSED 1u      // since the last look, s
#define WATCH_FRESH 2u        // uint: 1 when there was none that still counts
#define WATCH_FLOATS 4u

// Status, uints.
#define STATUS_NONFINITE 0u // strands put back because they were not finite
#define STATUS_CUT 1u       // strands with a segment held at the limit of its length
#define STATUS_HOMELESS 2u  // vertices that found no place in the grid of hair-hair forces, each time
#define STATUS_COUNTERS 3u
#define STATUS_LOW 4u  // box around the strands as they were output, host units, x, y, z, in the order of order_bits;
#define STATUS_HIGH 7u // both are zero before the first output
#define STATUS_RENDER_LOW 10u // the same of render strands
#define STATUS_RENDER_HIGH 13u
#define STATUS_UINTS 16u

#endif
