// What algorithms are called on the pages; their own names are those of the command line.

const NAMES: Record<string, string> = {
  auto: "Automatic choice",
  astar: "A*",
  "weighted-astar": "Weighted A*",
  idastar: "IDA*",
  bidirectional: "Bidirectional search",
  "breadth-first": "Breadth-first search",
  nbs: "NBS",
  xdp: "XDP",
  greedy: "Greedy search",
  beam: "Beam search",
  staged: "Staged search",
  anytime: "Anytime search",
  "closed-walks": "Closed walks",
  table: "Table of distances",
  evolution: "Evolution",
  reinforcement: "Reinforcement learning",
  hybrid: "Hybrid",
  humanlike: "Like a person",
  "local-value-iteration": "Local value iteration",
};

export const algorithmName = (name: string): string => NAMES[name] ?? name;
