// Libraries that lack a function of a plug-in's, or one that they call.
#include "include/sortlab_plugin.h"

#ifndef LACKS_abi
int32_t sortlab_plugin_abi() { return SORTLAB_PLUGIN_ABI; }
#endif

#ifdef LACKS_function
extern "C" const sortlab_plugin* this_function_is_nowhere();
const sortlab_plugin* sortlab_plugin_describe() { return this_function_is_nowhere(); }
#elif !defined(LACKS_description)
const sortlab_plugin* sortlab_plugin_describe() { return nullptr; }
#endif
