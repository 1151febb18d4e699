// A sort in pieces that the GPU and the CPU share.
#pragma once

#include <algorithm>
#include <cstddef>
#include <optional>
#include <span>
#include <thread>

#include "common/threads/first_failure.hpp"
#include "gpu/host/hybrid/shares.hpp"
#include "gpu/primitives/launch/workspace.cuh"
#include "gpu/primitives/offload/sort.cuh"

namespace sortlab::gpu::hybrid {

using offload::PiecePlan;

/// How many of a sort's threads do what. One thread drives the GPU; pageable memory takes half of them to stage.
struct Crew {
  int carriers;
  int sorters;  // the CPU's share; 0: none

  static Crew of(int threads, bool pinned) {
    if (pinned) return {0, threads - 1};
    const int carriers = offload::Link::carriers_for(std::max(1, threads / 2));
    return {carriers, std::max(0, threads - carriers)};
  }
};

/// The workspace: the cuts, and the CPU's memory.
template <class CpuSort>
struct Workspace {
  Workspace(const PiecePlan& plan, int sorters, std::byte* base = nullptr) {
    Layout layout(base);
    const std::size_t cut_bytes = offload::Cuts::bytes(plan);
    cuts = {layout.take<std::byte>(cut_bytes), cut_bytes};
    const std::size_t cpu_bytes =
        sorters == 0 || plan.pieces == 1 ? 0 : CpuSort::workspace_bytes(plan.most(), sorters);
    cpu = {layout.take<std::byte>(cpu_bytes), cpu_bytes};
    bytes = layout.bytes();
  }

  std::span<std::byte> cuts, cpu;
  std::size_t bytes;
};

/// One pass: the GPU's pipeline runs on a thread of its own, the CPU's share on this one and the team.
template <class Pipeline, class Cpu, class PieceOf>
Rates run_pass(const PiecePlan& plan, Rates rates, Pipeline& pipeline, const Cpu* cpu,
               const PieceOf& piece_of) {
  Shares shares(plan.pieces, rates);
  threads::FirstFailure failure;
  {
    const std::jthread gpu([&] {
      failure.guard([&] {
        pipeline.run([&] {
          const auto i = shares.for_gpu();
          return i ? std::optional(piece_of(*i)) : std::nullopt;
        });
      });
    });
    if (cpu != nullptr) {
      while (const auto i = shares.for_cpu()) cpu->sort(piece_of(*i));
    }
  }
  failure.rethrow();
  return shares.rates();
}

/// Sorts the items of a BitsJob with the device sort `Sort` and the CPU's sort `CpuSort`.
template <class Sort, class CpuSort, class Job>
ResultIn sort(const Job& job, const PiecePlan& plan) {
  if (plan.pieces == 1) return offload::sort_in_pieces<Sort>(job, plan);
  const Crew crew = Crew::of(job.threads, job.pinned);
  const Workspace<CpuSort> workspace(plan, crew.sorters, job.workspace.data());
  offload::Pipeline<decltype(Job::data), Sort> pipeline(job.gpus.front(), job, plan.most());
  std::optional<CpuSort> cpu;
  if (crew.sorters > 0) cpu.emplace(job, plan.most(), crew.sorters, workspace.cpu);
  const CpuSort* const helper = cpu ? &*cpu : nullptr;

  const Rates rates = run_pass(plan, {}, pipeline, helper,
                               [&](std::size_t i) { return offload::run_of(job, plan, i); });
  offload::Cuts cuts(plan, workspace.cuts);
  cuts.find(job);
  run_pass(plan, rates, pipeline, helper,
           [&](std::size_t i) { return offload::bucket_of(job, plan, cuts, i); });
  return ResultIn::alternate;
}

}  // namespace sortlab::gpu::hybrid
