// A copy of the page on a file host: the same interface, answered from files.

import { ApiError, type Api } from "./api";
import { buildPuzzle, parsePuzzle, parseTypedMove } from "./notation";
import { isSolved, play } from "./rule";
import type { Algorithms, Board, Daily, Lesson, Level, Levels, Move } from "./types";

const files = new Map<string, Promise<unknown>>();

function file<T>(name: string): Promise<T> {
  let content = files.get(name);
  if (!content) {
    content = fetch(`data/${name}.json`).then((response) => {
      if (!response.ok) throw new ApiError(response.status, `This copy has no file ${name}.json.`);
      return response.json() as Promise<unknown>;
    });
    files.set(name, content);
  }
  return content as Promise<T>;
}

const needsServer = (what: string) => (): Promise<never> =>
  Promise.reject(
    new ApiError(501, `${what} needs the program: this is a copy of the page on a file host.`),
  );

type DailyLevel = Level & { date?: string };

const DAY = 86_400_000;

async function daily(date?: string): Promise<Daily> {
  const levels = await file<Levels & { daily?: DailyLevel[] }>("levels");
  const list: DailyLevel[] = levels.daily ?? levels.groups.flatMap((group) => group.levels);
  const now = Date.now();
  const day = date ?? new Date(now).toISOString().slice(0, 10);
  const number = Math.floor(Date.parse(`${day}T00:00:00Z`) / DAY);
  const level = list.find((entry) => entry.date === day) ?? list[number % list.length];
  return {
    date: day,
    number,
    title: level.title,
    puzzle: level.puzzle,
    minimum: level.minimum,
    next_s: Math.ceil((DAY - (now % DAY)) / 1000),
    law: "Taken in turn from the levels of this copy.",
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
  random: needsServer("A random puzzle"),
  solvability: () =>
    Promise.resolve({ solvable: null, reason: null, explanation: null, certificate: null }),
  hint: needsServer("A hint"),
  distribution: needsServer("The distances of all positions"),
  algorithms: () => file<Algorithms>("algorithms"),
  async lesson(text, heuristic) {
    const levels = await file<Levels>("levels");
    const level = levels.groups
      .flatMap((group) => group.levels)
      .find((entry) => entry.puzzle === text || entry.id === text);
    const name = (level?.id ?? text).replace(/[^\w.-]+/g, "-");
    return file<Lesson>(`lessons/${name}-${heuristic}`);
  },
  createJob: needsServer("Solving"),
  job: needsServer("Solving"),
  events: () => () => {},
  expansions: needsServer("Watching a search"),
  cancel: needsServer("Solving"),
};
