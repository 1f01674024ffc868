// A copy of the page on a file host: the same interface, answered from files.

import { ApiError, type Api } from "./api";
import { buildPuzzle, parsePuzzle, parseTypedMove, writePuzzle } from "./notation";
import { isSolved, play } from "./rule";
import { Table } from "./tables";
import type {
  Algorithms,
  Board,
  Daily,
  Hint,
  Lesson,
  Levels,
  Move,
  Puzzle,
  RandomPuzzle,
  RandomRequest,
} from "./types";

const files = new Map<string, Promise<unknown>>();

function file<T>(name: string): Promise<T> {
  let content = files.get(name);
  if (!content) {
    content = fetch(`data/${name}.json`).then((response) => {
      if (!response.ok) throw new ApiError(response.status, `This copy has no file ${name}.json.`);
      return response.json() as Promise<unknown>;
    });
    files.set(name, content);
    // What failed may be there when it is asked for again.
    content.catch(() => files.delete(name));
  }
  return content as Promise<T>;
}

const needsServer = (what: string) => (): Promise<never> =>
  Promise.reject(
    new ApiError(501, `${what} needs the program: this is a copy of the page on a file host.`),
  );

type DailyPuzzle = Pick<Daily, "date" | "number" | "title" | "puzzle" | "minimum">;

const DAY = 86_400_000;

async function daily(date?: string): Promise<Daily> {
  const { daily } = await file<Levels & { daily: DailyPuzzle[] }>("levels");
  const now = Date.now();
  const day = date ?? new Date(now).toISOString().slice(0, 10);
  const found = daily.find((entry) => entry.date === day);
  if (!found) throw new ApiError(404, `This copy has no puzzle for ${day}: make a new copy with hyperslide site.`);
  return {
    ...found,
    next_s: Math.ceil((DAY - (now % DAY)) / 1000),
    law: "Drawn at random from all starts of this board that can be solved. The number of the day is the seed.",
  };
}

async function board(spec: string, metric = "face"): Promise<Board> {
  const boards = await file<Record<string, Board>>("boards");
  const found = boards[metric === "edge" ? `${spec} edge` : spec];
  if (!found) throw new ApiError(404, `This copy of the page does not hold the board ${spec}.`);
  return found;
}

async function puzzle(text: string) {
  const levels = await file<Levels>("levels");
  const named = levels.groups.flatMap((group) => group.levels).find(({ id }) => id === text);
  const line = parsePuzzle(named?.puzzle ?? text);
  return buildPuzzle(line, await board(line.board, line.metric));
}

interface TableEntry {
  file: string;
  labels: string[];
}

const tables = new Map<string, Promise<Uint8Array>>();

/** The file of a table, which stays once it was loaded. */
function tableBytes(name: string): Promise<Uint8Array> {
  let bytes = tables.get(name);
  if (!bytes) {
    bytes = fetch(`data/tables/${name}`).then(async (response) => {
      if (!response.ok) throw new ApiError(response.status, `This copy has no table ${name}.`);
      return new Uint8Array(await response.arrayBuffer());
    });
    tables.set(name, bytes);
    bytes.catch(() => tables.delete(name));
  }
  return bytes;
}

/** The board of a line, with its metric as the index of the tables has it. */
const boardKey = ({ board, metric }: Board) => (metric === "edge" ? `${board} edge` : board);

/** The exact distances of a puzzle, which this copy has for small ones. */
async function table(found: Puzzle): Promise<Table | null> {
  const index = await file<Record<string, TableEntry>>("tables");
  const goal = writePuzzle(found.board, found.start, found.goal).split(" -> ")[1];
  const entry = index[`${boardKey(found.board)} -> ${goal}`];
  return entry ? new Table(found.board, entry.labels, await tableBytes(entry.file)) : null;
}

async function hint(line: string): Promise<Hint> {
  const found = await puzzle(line);
  const distances = await table(found);
  if (!distances) return needsServer("A hint for this puzzle")();
  const distance = distances.distance(found.start);
  if (distance === null)
    return {
      distance,
      proven: true,
      source: "unsolvable",
      moves: [],
      solution: [],
      explanation: "The goal cannot be reached: this position is not among those of its table.",
    };
  return {
    distance,
    proven: true,
    source: "table",
    moves: distances.nearer(found.start),
    solution: distances.solution(found.start),
    explanation: `${distance} ${distance === 1 ? "move" : "moves"} to go, by the table of all positions.`,
  };
}

async function random(request: RandomRequest): Promise<RandomPuzzle> {
  const index = await file<Record<string, TableEntry>>("tables");
  const metric = request.metric === "edge" ? " edge" : "";
  const key = Object.keys(index).find(
    (key) =>
      key.startsWith(`${request.board}${metric} -> `) && index[key].labels.length === request.tokens,
  );
  if (!key) return needsServer("A random puzzle on this board")();
  const { board, goal } = await puzzle(key.replace(" -> ", ` ${key.split(" -> ")[1]} -> `));
  const distances = new Table(board, index[key].labels, await tableBytes(index[key].file));
  if (request.law === "walk") return needsServer("A walk from the goal")();
  const distance = request.law === "distance" ? (request.distance ?? 0) : null;
  const start = distances.draw(distance, Math.random);
  if (!start) throw new ApiError(422, `No start is ${distance} moves away.`);
  return {
    puzzle: writePuzzle(board, start, goal),
    seed: 0,
    law:
      distance === null
        ? "Every solvable start is equally likely."
        : `Every start exactly ${distance} moves from the goal is equally likely.`,
    distance,
  };
}

export const filesApi: Api = {
  boards: () => Promise.resolve([]),
  board,
  puzzle,
  async replay(text, moves) {
    const { board, start, goal } = await puzzle(text);
    let cells = start;
    const played: Move[] = [];
    for (const word of moves.split(/[\s,]+/).filter(Boolean))
      for (const move of parseTypedMove(word, board, cells)) {
        played.push(move);
        cells = play(cells, move);
      }
    return { moves: played, reaches_goal: isSolved(goal, cells), end: cells };
  },
  levels: () => file("levels"),
  daily,
  random,
  async solvability(line) {
    const found = await puzzle(line);
    const distances = await table(found);
    const solvable = distances ? distances.distance(found.start) !== null : null;
    const explanation =
      solvable === false ? "this position is not among those that lead to the goal" : null;
    return {
      solvable,
      reason: solvable === false ? "component" : null,
      explanation,
      certificate: null,
    };
  },
  hint,
  async distribution(line) {
    const found = await puzzle(line);
    const distances = await table(found);
    if (!distances) return needsServer("The distances of all positions of this puzzle")();
    const counts = distances.counts();
    const states = counts.reduce((sum, count) => sum + count, 0);
    const distance = distances.distance(found.start);
    return { states, counts, distance, unreachable: distance === null };
  },
  algorithms: () => file<Algorithms>("algorithms"),
  async lesson(text, heuristic) {
    const index = await file<Record<string, string>>("lessons");
    const { board, start, goal } = await puzzle(text);
    const name = index[`${heuristic} ${writePuzzle(board, start, goal)}`];
    if (!name) return needsServer("A lesson of your own")();
    return file<Lesson>(`lessons/${name.replace(/\.json$/, "")}`);
  },
  createJob: needsServer("Solving"),
  job: needsServer("Solving"),
  events: () => () => {},
  expansions: needsServer("Watching a search"),
  cancel: needsServer("Solving"),
};
