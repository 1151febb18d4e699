// A data race, on purpose: under the tsan preset this program must fail, or ThreadSanitizer, Archer
// and our suppressions would let a race in a sort pass as well.
namespace {
__attribute__((noinline)) void touch(long* counter) { ++*counter; }
}  // namespace

int main() {
  long counter = 0;
#pragma omp parallel for num_threads(2)
  for (int i = 0; i < 100000; ++i) touch(&counter);
  return 0;
}
