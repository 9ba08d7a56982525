#include <clfold/clfold.h>

clfold_fold clfold_builtin(clfold_op op, clfold_type type)
{
    return (clfold_fold){ .op = op, .type = type };
}
