// What kernels have in common, in the dialect. Each kernel stands in a file of its own name and is included behind this.
#include "layout.h"

#include "physics/angle.h"
#include "physics/capsule.h"
#include "physics/friction.h"
#include "physics/logarithm.h"
#include "physics/rod.h"
#include "physics/spline.h"
#include "physics/strand_shape.h"
#include "physics/symmetric.h"

#include "physics/grains.h"

#include "kernels/contacts.h"
#include "kernels/group.h"
#include "kernels/mesh.h"
#include "kernels/rod_ahead.h"
#include "kernels/rod_rigid.h"
#include "kernels/rod_strands.h"
#include "kernels/strand_carry.h"
#include "kernels/strand_rest.h"
#include "kernels/strand_spin.h"
#include "kernels/volume.h"

#include "kernels/output.h"
#include "kernels/render.h"
