// SPDX-License-Identifier: BSD-3-Clause
#include "graph_reference.hpp"

#include <algorithm>
#include <functional>
#include <limits>
#include <queue>
#include <utility>

namespace araios::bench {
namespace {

/// Edges as compact as on the device.
template <class Value>
struct plain_graph {
  int vertices;
  std::vector<int> row_map, ends;
  std::vector<Value> weights;

  explicit plain_graph(host_crs<double> const& a)
      : vertices(static_cast<int>(a.num_rows)),
        row_map(a.row_map.begin(), a.row_map.end()),
        ends(a.entries.begin(), a.entries.end()),
        weights(a.values.begin(), a.values.end()) {}

  int edges_of(int vertex) const { return row_map[vertex + 1] - row_map[vertex]; }
};

/// Breadth-first search with a queue.
template <class Value>
std::vector<int> levels(plain_graph<Value> const& a, int source) {
  std::vector<int> level(a.vertices, -1);
  std::vector<int> queue{source};
  queue.reserve(a.vertices);
  level[source] = 0;
  for (std::size_t head = 0; head < queue.size(); ++head) {
    int const i = queue[head];
    for (int k = a.row_map[i]; k < a.row_map[i + 1]; ++k) {
      int const j = a.ends[k];
      if (level[j] >= 0) continue;
      level[j] = level[i] + 1;
      queue.push_back(j);
    }
  }
  return level;
}

/// Dijkstra's algorithm with a heap. Sums are rounded as along a path, hence exactly those of sssp.
template <class Value>
std::vector<Value> distances(plain_graph<Value> const& a, int source) {
  std::vector<Value> distance(a.vertices, std::numeric_limits<Value>::infinity());
  using waiting = std::pair<Value, int>;
  std::priority_queue<waiting, std::vector<waiting>, std::greater<>> queue;
  distance[source] = 0;
  queue.emplace(Value{0}, source);
  while (!queue.empty()) {
    auto const [length, i] = queue.top();
    queue.pop();
    if (length > distance[i]) continue;
    for (int k = a.row_map[i]; k < a.row_map[i + 1]; ++k) {
      Value const next = length + a.weights[k];
      if (!(next < distance[a.ends[k]])) continue;
      distance[a.ends[k]] = next;
      queue.emplace(next, a.ends[k]);
    }
  }
  return distance;
}

/// Union and find, each root being the least of its tree.
template <class Value>
std::vector<int> components(plain_graph<Value> const& a) {
  std::vector<int> above(a.vertices);
  for (int i = 0; i < a.vertices; ++i) above[i] = i;
  auto const root = [&](int i) {
    for (; above[i] != i; i = above[i]) above[i] = above[above[i]];
    return i;
  };
  for (int i = 0; i < a.vertices; ++i)
    for (int k = a.row_map[i]; k < a.row_map[i + 1]; ++k) {
      auto const [low, high] = std::minmax({root(i), root(a.ends[k])});
      above[high] = low;
    }
  for (int i = 0; i < a.vertices; ++i) above[i] = above[above[i]];  // those before it are done
  return above;
}

template <class Value>
std::vector<Value> ranks(plain_graph<Value> const& a) {
  auto const n = static_cast<double>(a.vertices);
  std::vector<Value> rank(a.vertices, static_cast<Value>(1.0 / n));
  std::vector<Value> next(a.vertices);
  for (int iteration = 0; iteration < pagerank_iterations; ++iteration) {
    std::ranges::fill(next, Value{0});
    double kept = 0.0;
    for (int i = 0; i < a.vertices; ++i) {
      if (a.edges_of(i) == 0) {
        kept += rank[i];
        continue;
      }
      auto const share = static_cast<Value>(pagerank_damping * rank[i] / a.edges_of(i));
      for (int k = a.row_map[i]; k < a.row_map[i + 1]; ++k) next[a.ends[k]] += share;
    }
    auto const all = static_cast<Value>((1.0 - pagerank_damping + pagerank_damping * kept) / n);
    for (auto& value : next) value += all;
    std::swap(rank, next);
  }
  return rank;
}

template <class Value>
std::variant<std::vector<int>, std::vector<Value>> find(std::string const& operation,
                                                        plain_graph<Value> const& a, int source) {
  if (operation == "bfs") return levels(a, source);
  if (operation == "sssp") return distances(a, source);
  if (operation == "components") return components(a);
  return ranks(a);
}

template <class Value>
vertex_result to_vertex_result(std::variant<std::vector<int>, std::vector<Value>> const& found) {
  return std::visit(
      [](auto const& values) {
        return vertex_result{{values.begin(), values.end()}};
      },
      found);
}

template <class Value>
class sequential_graph : public candidate {
 public:
  sequential_graph(std::string operation, inputs const& in)
      : operation_(std::move(operation)), a_(in.a), source_(static_cast<int>(in.source)) {}

  void run(std::int64_t calls) override {
    for (std::int64_t k = 0; k < calls; ++k) found_ = find(operation_, a_, source_);
  }
  void discard() override { found_ = {}; }
  any_result result() const override { return to_vertex_result<Value>(found_); }

 private:
  std::string operation_;
  plain_graph<Value> a_;
  int source_;
  std::variant<std::vector<int>, std::vector<Value>> found_;
};

/// Two ways of adding up the positive terms of a rank, iteration after iteration: every addition
/// may cost a unit in the last place, and those over all vertices are made in double precision.
double rank_error(inputs const& in) {
  std::vector<std::int64_t> in_edges(in.a.num_rows, 0);
  for (auto const j : in.a.entries) ++in_edges[j];
  auto const most = in_edges.empty() ? 0 : *std::ranges::max_element(in_edges);
  double const epsilon = in.single_precision ? std::numeric_limits<float>::epsilon()
                                             : std::numeric_limits<double>::epsilon();
  return pagerank_iterations *
         (epsilon * static_cast<double>(most + 5) +
          std::numeric_limits<double>::epsilon() * static_cast<double>(in.a.num_rows));
}

}  // namespace

graph_answer solve(std::string const& operation, inputs const& in) {
  graph_answer answer;
  auto const find_in = [&]<class Value>(Value) {
    return to_vertex_result<Value>(
        find(operation, plain_graph<Value>(in.a), static_cast<int>(in.source)));
  };
  bool const single = operation == "sssp" && in.single_precision;
  answer.expected = single ? find_in(float{}) : find_in(double{});
  if (operation == "pagerank") {
    answer.relative_error = rank_error(in);
    answer.edges = in.a.nnz() * pagerank_iterations;
  } else if (operation == "components") {
    answer.edges = in.a.nnz();
  } else {
    constexpr double unreached = std::numeric_limits<double>::infinity();
    for (std::int64_t i = 0; i < in.a.num_rows; ++i) {
      double const distance = answer.expected.values[i];
      if (distance < 0.0 || distance == unreached) continue;
      ++answer.reached;
      answer.edges += in.a.row_map[i + 1] - in.a.row_map[i];
    }
  }
  return answer;
}

implementations reference_graphs(std::string const& operation) {
  return {{"reference", "", [operation](inputs const& in) {
             return with_scalar(in, [&]<class Value>(Value) {
               return std::unique_ptr<candidate>(new sequential_graph<Value>(operation, in));
             });
           }}};
}

}  // namespace araios::bench
