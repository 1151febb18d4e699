// A library's version numbers as text, for Info::lib_version, which must be a literal.
#pragma once

#define SORTLAB_TEXT_OF(x) #x
#define SORTLAB_TEXT(x) SORTLAB_TEXT_OF(x)
