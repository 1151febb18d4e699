// Calls of sortlab::cuda in all their forms, with what they must deliver.
#pragma once

#include "tests/gpu/library/inputs.cuh"

namespace sortlab::cuda {

template <class Key>
void expect_sorted_keys(const std::vector<std::size_t>& sizes) {
  for (const std::size_t n : sizes) {
    const auto keys = random_keys<Key>(n);
    for (const Order order : {Order::ascending, Order::descending}) {
      const Options options{.order = order};
      const auto expected = in_order(keys, expected_order(keys, order));
      const OnDevice<Key> in(keys);
      const OnDevice<Key> out(keys);
      in_two_calls([&](void* d_temp, std::size_t& bytes) {
        return sort_keys(d_temp, bytes, in.get(), out.get(), n, nullptr, options);
      });
      expect_same(out.on_host(), expected, "sort_keys to another array");
      expect_same(in.on_host(), keys, "the input of sort_keys");

      DoubleBuffer<Key> buffer;
      in_two_calls([&](void* d_temp, std::size_t& bytes) {
        buffer = {in.get(), out.get()};
        return sort_keys(d_temp, bytes, buffer, n, nullptr, options);
      });
      expect_same((buffer.current == in.get() ? in : out).on_host(), expected,
                  "sort_keys of a double buffer");

      const OnDevice<Key> place(keys);
      ASSERT_EQ(sort_keys(place.get(), n, nullptr, options), cudaSuccess);
      synchronize();
      expect_same(place.on_host(), expected, "sort_keys in place");
    }
  }
}

template <class Key, class V>
void expect_sorted_pairs(const std::vector<std::size_t>& sizes) {
  for (const std::size_t n : sizes) {
    const auto keys = random_keys<Key>(n, n / 3);  // many are equal
    const auto values = numbered_values<V>(n);
    const auto order = expected_order(keys, Order::descending);
    const Options options{.order = Order::descending};
    const auto expected_keys = in_order(keys, order);
    const auto expected_values = in_order(values, order);
    const OnDevice<Key> keys_in(keys);
    const OnDevice<Key> keys_out(keys);
    const OnDevice<V> values_in(values);
    const OnDevice<V> values_out(values);
    in_two_calls([&](void* d_temp, std::size_t& bytes) {
      return sort_pairs(d_temp, bytes, keys_in.get(), keys_out.get(), values_in.get(),
                        values_out.get(), n, nullptr, options);
    });
    const std::string types =
        std::to_string(sizeof(Key)) + " + " + std::to_string(sizeof(V)) + " bytes, ";
    expect_same(keys_out.on_host(), expected_keys, types + "keys");
    expect_same(values_out.on_host(), expected_values, types + "values");
    expect_same(keys_in.on_host(), keys, types + "keys of the input");
    expect_same(values_in.on_host(), values, types + "values of the input");

    DoubleBuffer<Key> key_buffer;
    DoubleBuffer<V> value_buffer;
    in_two_calls([&](void* d_temp, std::size_t& bytes) {
      key_buffer = {keys_in.get(), keys_out.get()};
      value_buffer = {values_in.get(), values_out.get()};
      return sort_pairs(d_temp, bytes, key_buffer, value_buffer, n, nullptr, options);
    });
    expect_same((key_buffer.current == keys_in.get() ? keys_in : keys_out).on_host(), expected_keys,
                types + "keys of a double buffer");
    expect_same((value_buffer.current == values_in.get() ? values_in : values_out).on_host(),
                expected_values, types + "values of a double buffer");

    const OnDevice<Key> key_place(keys);
    const OnDevice<V> value_place(values);
    ASSERT_EQ(sort_pairs(key_place.get(), value_place.get(), n, nullptr, options), cudaSuccess);
    synchronize();
    expect_same(key_place.on_host(), expected_keys, types + "keys in place");
    expect_same(value_place.on_host(), expected_values, types + "values in place");
  }
}

template <class Key, class Index>
void expect_indices(const std::vector<std::size_t>& sizes) {
  for (const std::size_t n : sizes) {
    const auto keys =
        random_keys<Key>(n, std::is_floating_point_v<Key> ? ~std::uint64_t{0} : n / 3);
    const auto order = expected_order(keys, Order::ascending);
    const OnDevice<Key> d_keys(keys);
    const OnDevice<Index> d_order(std::vector<Index>(n, 77));
    in_two_calls([&](void* d_temp, std::size_t& bytes) {
      return argsort(d_temp, bytes, d_keys.get(), d_order.get(), n);
    });
    expect_same(d_order.on_host(), std::vector<Index>(order.begin(), order.end()), "argsort");
    expect_same(d_keys.on_host(), keys, "the input of argsort");
    ASSERT_EQ(argsort(d_keys.get(), d_order.get(), n), cudaSuccess);
    synchronize();
    expect_same(d_order.on_host(), std::vector<Index>(order.begin(), order.end()),
                "argsort in one call");
  }
}

}  // namespace sortlab::cuda
