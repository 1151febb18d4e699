// Sorts on the GPU: keys, keys with values, segments, and structs by a comparison that holds state. Finds the best keys.
#include <cuda_runtime.h>

#include <cstdio>
#include <cstdlib>
#include <sortlab/cuda.cuh>

struct City {
  const char* name;
  float latitude;
};

/// Ends the program with the name of what failed.
void check(cudaError_t status) {
  if (status == cudaSuccess) return;
  std::fprintf(stderr, "%s\n", cudaGetErrorString(status));
  std::exit(status == cudaErrorNoDevice || status == cudaErrorInsufficientDriver ? 77 : 1);
}

void sort_by_distance(City* d_cities, std::size_t n, float latitude) {
  check(sortlab::cuda::sort(d_cities, n, [latitude] __device__(const City& a, const City& b) {
    return fabsf(a.latitude - latitude) < fabsf(b.latitude - latitude);
  }));
}

int main() {
  // How much memory a sort takes is known without a GPU.
  constexpr std::size_t kMany = 1 << 24;
  sortlab::cuda::DoubleBuffer<unsigned> buffer;
  std::size_t temp_bytes = 0;
  check(sortlab::cuda::sort_keys(nullptr, temp_bytes, buffer, kMany));
  std::printf("%zu keys take %zu KB beside them and a second buffer\n", kMany, temp_bytes / 1024);

  City cities[] = {{"Oslo", 59.9f}, {"Quito", -0.2f}, {"Tunis", 36.8f}, {"Lima", -12.0f}};
  City* d_cities = nullptr;
  check(cudaMalloc(&d_cities, sizeof(cities)));
  check(cudaMemcpy(d_cities, cities, sizeof(cities), cudaMemcpyHostToDevice));
  sort_by_distance(d_cities, 4, 40.0f);
  check(cudaMemcpy(cities, d_cities, sizeof(cities), cudaMemcpyDeviceToHost));
  std::printf("nearest latitude: %s\n", cities[0].name);

  unsigned long long keys[] = {30, 10, 20};
  double values[] = {0.3, 0.1, 0.2};
  unsigned long long* d_keys = nullptr;
  double* d_values = nullptr;
  check(cudaMalloc(&d_keys, sizeof(keys)));
  check(cudaMalloc(&d_values, sizeof(values)));
  check(cudaMemcpy(d_keys, keys, sizeof(keys), cudaMemcpyHostToDevice));
  check(cudaMemcpy(d_values, values, sizeof(values), cudaMemcpyHostToDevice));
  check(sortlab::cuda::sort_pairs(d_keys, d_values, 3));
  check(cudaMemcpy(keys, d_keys, sizeof(keys), cudaMemcpyDeviceToHost));
  check(cudaMemcpy(values, d_values, sizeof(values), cudaMemcpyDeviceToHost));
  for (int i = 0; i < 3; ++i) std::printf("%llu: %.1f\n", keys[i], values[i]);

  // Three segments, of which one is empty: the offsets are on the GPU, too.
  float scores[] = {3, 1, 2, 9, 8};
  const int offsets[] = {0, 3, 3, 5};
  float* d_scores = nullptr;
  int* d_offsets = nullptr;
  check(cudaMalloc(&d_scores, sizeof(scores)));
  check(cudaMalloc(&d_offsets, sizeof(offsets)));
  check(cudaMemcpy(d_scores, scores, sizeof(scores), cudaMemcpyHostToDevice));
  check(cudaMemcpy(d_offsets, offsets, sizeof(offsets), cudaMemcpyHostToDevice));
  check(sortlab::cuda::segmented_sort_keys(d_scores, 5, 3, d_offsets));
  check(cudaMemcpy(scores, d_scores, sizeof(scores), cudaMemcpyDeviceToHost));
  std::printf("segments: %.0f %.0f %.0f | %.0f %.0f\n", scores[0], scores[1], scores[2], scores[3],
              scores[4]);

  unsigned long long* d_best = nullptr;
  unsigned *d_places = nullptr, place = 0;
  check(cudaMalloc(&d_best, sizeof(*d_best)));
  check(cudaMalloc(&d_places, sizeof(place)));
  check(sortlab::cuda::top_k(d_keys, d_best, d_places, 3, 1, nullptr,
                             {.order = sortlab::Order::descending}));
  check(cudaMemcpy(&place, d_places, sizeof(place), cudaMemcpyDeviceToHost));
  std::printf("the largest is at place %u\n", place);
  cudaFree(d_best);
  cudaFree(d_places);
  cudaFree(d_cities);
  cudaFree(d_scores);
  cudaFree(d_offsets);
  cudaFree(d_keys);
  cudaFree(d_values);
}
