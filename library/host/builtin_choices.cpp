// The library's definition of the choices in use (common/choose/cpu_choice.hpp): the built-in choices on every
// machine. It reads no file.
#include "common/choose/cpu_choice.hpp"

namespace sortlab {

CpuChoices cpu_choices_in_use() { return builtin_cpu_choices(kind_of_this_cpu()); }
void check_cpu_choices() {}
std::string describe_cpu_choices() { return ""; }

}  // namespace sortlab
