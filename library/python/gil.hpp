// Python's lock, and threads that Python ends while it finishes.
#pragma once

#include <nanobind/nanobind.h>
#include <unistd.h>

#include <cxxabi.h>
#include <exception>

namespace sortlab::python {

/// Calls work(), which may wait for the GIL. Python before 3.14 ends a daemon thread that waits for it
/// when the program is over, by an unwinding that runs C++ destructors without the GIL. Such a
/// thread sleeps here instead until the process ends, as it does since 3.14.
template <class Work>
decltype(auto) or_sleep(Work work) {
  try {
    return work();
  } catch (abi::__forced_unwind&) {
    for (;;) pause();
  }
}

/// Calls work() without the GIL.
template <class Work>
void without_gil(Work work) {
  std::exception_ptr error;
  PyThreadState* const state = PyEval_SaveThread();
  try {
    work();
  } catch (const std::exception&) {
    error = std::current_exception();
  }
  or_sleep(
      [state] { PyEval_RestoreThread(state); });  // not in a destructor, which can't be unwound
  if (error) std::rethrow_exception(error);
}

/// Calls a Python object. Throws nanobind::python_error.
template <class... Arguments>
nanobind::object call(nanobind::handle function, const Arguments&... arguments) {
  PyObject* const result = or_sleep([&] {
    return PyObject_CallFunctionObjArgs(function.ptr(), nanobind::handle(arguments).ptr()...,
                                        nullptr);
  });
  if (result == nullptr) nanobind::raise_python_error();
  return nanobind::steal(result);
}

}  // namespace sortlab::python
