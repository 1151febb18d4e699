// Reads a bucket for cpu/radix/simd.
#ifndef SORTLAB_PASTED  // an editor has opened this file alone
  #pragma once
  #include "cpu/radix/simd/editor.hpp"
#endif

/// Iterates over a bucket's pieces.
template <class Key>
class Pieces {
 public:
  explicit Pieces(const Bucket<Key>& bucket) : bucket_(bucket) {
    if (bucket.states != nullptr) begin_chain();
  }
  struct Piece {
    const Key* keys;
    std::size_t n;
  };
  Piece next() {
    if (bucket_.states == nullptr) return {bucket_.keys, std::exchange(bucket_.n, 0)};
    while (left_ == 0) {
      if (++thread_ == bucket_.threads) return {nullptr, 0};
      begin_chain();
    }
    const std::size_t n = std::min(left_, kBlockKeys<Key>);
    const Piece piece{reinterpret_cast<const Key*>(bucket_.supply->block(id_)), n};
    left_ -= n;
    if (left_ > 0) id_ = bucket_.supply->following[id_];
    return piece;
  }

 private:
  const Chains<Key>& chains() const { return bucket_.states[thread_].chains; }
  void begin_chain() {
    id_ = chains().head[bucket_.index];
    left_ = chains().counts[bucket_.index];
  }
  Bucket<Key> bucket_;
  int thread_ = 0;
  std::uint32_t id_ = 0;
  std::size_t left_ = 0;
};

/// Calls visit(keys, n, next) for each piece of a bucket; `next` is the following piece.
template <class Key, class Visit>
SORTLAB_INLINE void for_each_piece(const Bucket<Key>& bucket, Visit visit) {
  Pieces<Key> pieces(bucket);
  for (auto piece = pieces.next(); piece.n > 0;) {
    const auto following = pieces.next();
    visit(piece.keys, piece.n, following.n > 0 ? following.keys : piece.keys);
    piece = following;
  }
}
