// The server, behind one interface. On a static copy the same interface reads files.

import { buildPuzzle, parsePuzzle } from "./notation";
import { read, write } from "./storage";
import type {
  Algorithms,
  Board,
  BoardKind,
  Daily,
  Distribution,
  Expansions,
  Hint,
  Job,
  JobCreated,
  JobHandlers,
  JobRequest,
  Lesson,
  Levels,
  Metric,
  Puzzle,
  RandomPuzzle,
  RandomRequest,
  Replay,
  Solvability,
} from "./types";

/** A refusal of the server, or its absence (status 0), in a sentence for the reader. */
export class ApiError extends Error {
  constructor(
    readonly status: number,
    message: string,
    /** What kind of refusal it is, where the page does something about it. */
    readonly code?: string,
  ) {
    super(message);
  }
}

export interface Api {
  boards(): Promise<BoardKind[]>;
  board(spec: string, metric?: Metric): Promise<Board>;
  /** Reads a puzzle line; or the text of a puzzle file; or that of a board file, with `START -> GOAL`. */
  puzzle(line: string, file?: string, boardFile?: string): Promise<Puzzle>;
  replay(puzzle: string, moves: string): Promise<Replay>;
  levels(): Promise<Levels>;
  daily(date?: string): Promise<Daily>;
  random(request: RandomRequest): Promise<RandomPuzzle>;
  solvability(line: string): Promise<Solvability>;
  hint(line: string): Promise<Hint>;
  distribution(line: string): Promise<Distribution>;
  algorithms(): Promise<Algorithms>;
  lesson(puzzle: string, heuristic: string): Promise<Lesson>;
  createJob(request: JobRequest): Promise<JobCreated>;
  job(id: string): Promise<Job>;
  /** Follows a job; returns a function that stops following. */
  events(id: string, handlers: JobHandlers): () => void;
  expansions(id: string, since: number): Promise<Expansions>;
  cancel(id: string, key: string): Promise<void>;
}

let onReachable: (reachable: boolean) => void = () => {};

/** Calls back after each request with whether the server answered. */
export function watchConnection(callback: (reachable: boolean) => void): void {
  onReachable = callback;
}

export async function request<T>(path: string, init?: RequestInit): Promise<T> {
  let response: Response;
  try {
    response = await fetch(`api/${path}`, init);
  } catch {
    onReachable(false);
    throw new ApiError(0, "The server cannot be reached.");
  }
  // A proxy in front of a stopped server answers in its place.
  const absent = [502, 504].includes(response.status);
  onReachable(!absent);
  if (absent) throw new ApiError(0, "The server cannot be reached.");
  if (response.status === 204) return undefined as T;
  const body: unknown = await response.json().catch(() => null);
  if (!response.ok) {
    const { error, code } = (body ?? {}) as { error?: string; code?: string };
    throw new ApiError(response.status, error ?? `The server answered ${response.status}.`, code);
  }
  return body as T;
}

export const post = <T>(
  path: string,
  body: unknown,
  headers: Record<string, string> = {},
): Promise<T> =>
  request(path, {
    method: "POST",
    headers: { "content-type": "application/json", ...headers },
    body: JSON.stringify(body),
  });

const query = (values: Record<string, string | number | undefined>): string => {
  const known = Object.entries(values).filter(([, value]) => value !== undefined && value !== "");
  const text = new URLSearchParams(known.map(([name, value]) => [name, String(value)])).toString();
  return text && `?${text}`;
};

const KEPT_BOARDS = 24;

/** Keeps the boards seen last, so that play goes on without the server. */
function keepBoard(board: Board): Board {
  const kept = read<Board[]>("boards", []).filter(
    (other) => other.board !== board.board || other.metric !== board.metric,
  );
  write("boards", [board, ...kept].slice(0, KEPT_BOARDS));
  return board;
}

const keptBoard = (spec: string, metric: Metric): Board | undefined =>
  read<Board[]>("boards", []).find((board) => board.board === spec && board.metric === metric);

const serverApi: Api = {
  boards: () => request("boards"),
  async board(spec, metric = "face") {
    try {
      const path = `boards/${encodeURIComponent(spec)}${query({ metric: metric === "edge" ? metric : undefined })}`;
      return keepBoard(await request<Board>(path));
    } catch (error) {
      const kept = error instanceof ApiError && error.status === 0 && keptBoard(spec, metric);
      if (kept) return kept;
      throw error;
    }
  },
  async puzzle(line, file, boardFile) {
    try {
      const puzzle = await post<Puzzle>("puzzles", { puzzle: line, file, board_file: boardFile });
      keepBoard(puzzle.board);
      return puzzle;
    } catch (error) {
      if (!(error instanceof ApiError) || error.status !== 0 || file || boardFile) throw error;
      const parsed = parsePuzzle(line);
      const board = keptBoard(parsed.board, parsed.metric);
      if (!board) throw error;
      return buildPuzzle(parsed, board);
    }
  },
  replay: (puzzle, moves) => post("replay", { puzzle, moves }),
  levels: () => request("levels"),
  daily: (date) => request(`daily${query({ date })}`),
  random: ({ board, metric, tokens, law, distance, slides, seed }) =>
    request(`random${query({ board, metric, tokens, law, distance, slides, seed })}`),
  solvability: (puzzle) => post("solvability", { puzzle }),
  hint: (puzzle) => post("hint", { puzzle }),
  distribution: (puzzle) => post("distribution", { puzzle }),
  algorithms: () => request("algorithms"),
  lesson: (puzzle, heuristic) => post("lessons", { puzzle, heuristic }),
  createJob: (job) => post("jobs", job),
  job: (id) => request(`jobs/${encodeURIComponent(id)}`),
  events(id, handlers) {
    const source = new EventSource(`api/jobs/${encodeURIComponent(id)}/events`);
    const listen = <T>(name: string, handler: ((event: T) => void) | undefined, last = false) =>
      source.addEventListener(name, (event) => {
        if (last) source.close();
        handler?.(JSON.parse((event as MessageEvent<string>).data || "{}") as T);
      });
    listen("queued", handlers.queued);
    listen("progress", handlers.progress);
    listen("done", handlers.done, true);
    listen("shutdown", handlers.shutdown, true);
    source.onerror = () => {
      if (source.readyState === EventSource.CLOSED) handlers.lost?.({});
    };
    return () => source.close();
  },
  expansions: (id, since) => request(`jobs/${encodeURIComponent(id)}/expansions${query({ since })}`),
  cancel: (id, key) =>
    request(`jobs/${encodeURIComponent(id)}`, { method: "DELETE", headers: { "X-Job-Key": key } }),
};

export const isStatic = document.documentElement.dataset.static === "true";

/** The implementation for static copies, which is loaded when it is first needed. */
function lazyFilesApi(): Api {
  const call =
    (name: keyof Api) =>
    async (...values: unknown[]): Promise<unknown> => {
      const { filesApi } = await import("./static-api");
      return (filesApi[name] as (...values: unknown[]) => unknown)(...values);
    };
  const names = Object.keys(serverApi) as (keyof Api)[];
  const calls = Object.fromEntries(names.map((name) => [name, call(name)]));
  return { ...(calls as unknown as Api), events: () => () => {} };
}

export const api: Api = isStatic ? lazyFilesApi() : serverApi;
