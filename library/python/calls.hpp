// Functions of the module that Python can pickle, copy and inspect: its own kind of function, with a
// signature as the first line of the documentation.
#pragma once

#include <nanobind/nanobind.h>

#include <array>
#include <new>
#include <string_view>
#include <vector>

#include "library/python/gil.hpp"

namespace sortlab::python {

template <class... Arguments>
[[noreturn]] void raise(PyObject* type, const char* format, Arguments... arguments) {
  PyErr_Format(type, format, arguments...);
  nanobind::raise_python_error();
}

/// The parameters of a function, read from a text such as "f($module, a, b=None, *, c=None)\n--\n\n...".
class Signature {
 public:
  static constexpr std::size_t kMost = 10;
  /// By parameter; null: not given.
  using Values = std::array<PyObject*, kMost>;

  /// `text` must outlive it.
  explicit Signature(std::string_view text) : name_(text.substr(0, text.find('('))) {
    std::string_view rest = text.substr(0, text.find("\n--"));
    rest.remove_prefix(rest.find('(') + 1);
    rest.remove_suffix(1);
    for (bool is_positional = true; !rest.empty();) {
      const std::string_view each = rest.substr(0, rest.find(", "));
      rest.remove_prefix(std::min(rest.size(), each.size() + 2));
      if (each == "*") is_positional = false;
      if (each == "*" || each == "$module") continue;
      const std::string_view name = each.substr(0, each.find('='));
      names_.push_back(nanobind::steal(PyUnicode_InternFromString(std::string(name).c_str())));
      required_ += name == each;
      positional_ += is_positional;
    }
  }

  /// Raises TypeError, as a function in Python does.
  Values bind(PyObject* const* given, std::size_t count, PyObject* keywords) const {
    if (count > positional_) {
      raise(PyExc_TypeError, "%s() takes at most %zu positional arguments, but %zu were given",
            name().c_str(), positional_, count);
    }
    Values values{};
    std::copy(given, given + count, values.begin());
    const Py_ssize_t named = keywords == nullptr ? 0 : PyTuple_Size(keywords);
    for (Py_ssize_t i = 0; i < named; ++i) {
      PyObject* const keyword = PyTuple_GetItem(keywords, i);
      const std::size_t at = find(keyword);
      if (at == names_.size()) {
        raise(PyExc_TypeError, "%s() got an unexpected keyword argument '%U'", name().c_str(),
              keyword);
      }
      if (values[at] != nullptr) {
        raise(PyExc_TypeError, "%s() got multiple values for argument '%U'", name().c_str(),
              keyword);
      }
      values[at] = given[count + static_cast<std::size_t>(i)];
    }
    for (std::size_t i = 0; i < required_; ++i) {
      if (values[i] == nullptr) {
        raise(PyExc_TypeError, "%s() missing the argument '%U'", name().c_str(), names_[i].ptr());
      }
    }
    return values;
  }

 private:
  std::string name() const { return std::string(name_); }

  /// A keyword in a program's text is the same object as its name here.
  std::size_t find(PyObject* keyword) const {
    for (std::size_t i = 0; i < names_.size(); ++i) {
      if (names_[i].is(keyword)) return i;
    }
    for (std::size_t i = 0; i < names_.size(); ++i) {
      if (PyUnicode_Compare(names_[i].ptr(), keyword) == 0) return i;
    }
    return names_.size();
  }

  std::string_view name_;
  std::vector<nanobind::object> names_;
  std::size_t required_ = 0, positional_ = 0;
};

/// Defines `function` of type nb::object(const Signature::Values&), which may throw, as Python's
/// module.name(...). `text` is its signature and documentation, and is kept.
template <auto function>
void define(nanobind::module_ module, const char* name, const char* text) {
  static const Signature* signature = nullptr;
  static PyMethodDef method = {};
  const auto entry = [](PyObject*, PyObject* const* given, Py_ssize_t count,
                        PyObject* keywords) -> PyObject* {
    try {
      return function(signature->bind(given, static_cast<std::size_t>(count), keywords))
          .release()
          .ptr();
    } catch (nanobind::python_error& error) {
      error.restore();
    } catch (const std::bad_alloc&) {
      PyErr_NoMemory();
    } catch (const std::invalid_argument& error) {
      PyErr_SetString(PyExc_ValueError, error.what());
    }
    return nullptr;
  };
  PyObject* (*const pointer)(PyObject*, PyObject* const*, Py_ssize_t, PyObject*) = entry;
  signature = new Signature(text);
  method = {name, reinterpret_cast<PyCFunction>(reinterpret_cast<void (*)()>(pointer)),
            METH_FASTCALL | METH_KEYWORDS, text};
  // By the package's name, so that a pickle does not depend on the name of this module.
  module.attr(name) = nanobind::steal(
      PyCFunction_NewEx(&method, module.ptr(), nanobind::str("sortlab").release().ptr()));
}

}  // namespace sortlab::python
