// What the Python package reads of a capsule of DLPack, as a module without CUDA.
#include "library/python/cuda/dlpack.hpp"

NB_MODULE(dlpack_module, module) { module.def("of_dlpack", &sortlab::python::of_dlpack); }
