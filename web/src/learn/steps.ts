// A recorded run of A*, one step for each expansion.

import type { Lesson, LessonNode } from "../lib/types";

/** The estimate; infinite where the goal cannot be reached, which the server writes as null. */
export const h = (node: LessonNode): number => (node.h as number | null) ?? Infinity;

export const f = (node: LessonNode): number => node.g + h(node);

/** A number of the sum, with the sign of infinity. */
export const shown = (value: number): string => (value === Infinity ? "∞" : String(value));

/** How a state was reached, in words: what tells its board apart without the picture. */
export const reached = (node: LessonNode): string =>
  node.move ? `${node.move.token} from ${node.move.from} to ${node.move.to}` : "the start";

/** What the reader sees after some steps. */
export interface Moment {
  /** The number of states expanded so far. */
  step: number;
  /** Whether the search has taken a state that meets the goal, and is over. */
  finished: boolean;
  /** The state that the last step took, or null before the first. */
  taken: LessonNode | null;
  /** The states that the last step put on the open list. */
  fresh: LessonNode[];
  /** In the order in which the search prefers them. */
  open: LessonNode[];
  /** In the order in which they were expanded. */
  closed: LessonNode[];
  /** The state that the next step takes, or null when the search is over. */
  next: LessonNode | null;
}

export class Recording {
  readonly lesson: Lesson;
  readonly byId: Map<number, LessonNode>;
  /** The states in the order in which the search takes them: the goal last. */
  readonly taken: number[];
  /** The step that first put each state on the open list; the start is there at 0. */
  readonly appears: Map<number, number>;
  private readonly position: Map<number, number>;

  constructor(lesson: Lesson) {
    this.lesson = lesson;
    this.byId = new Map(lesson.nodes.map((node) => [node.id, node]));
    const goal = lesson.solution[lesson.solution.length - 1];
    const expanded = lesson.expansions;
    this.taken =
      goal === undefined || expanded.includes(goal) ? [...expanded] : [...expanded, goal];
    this.position = new Map(this.taken.map((id, index) => [id, index]));
    this.appears = new Map();
    for (const node of lesson.nodes) if (node.parent === null) this.appears.set(node.id, 0);
    lesson.generated.forEach((ids, index) => {
      for (const id of ids) if (!this.appears.has(id)) this.appears.set(id, index + 1);
    });
  }

  /** The number of steps, the last of which takes the goal. */
  get steps(): number {
    return this.taken.length;
  }

  /** The number of expansions; taking the goal is not one. */
  get expansions(): number {
    return this.lesson.expansions.length;
  }

  node(id: number): LessonNode {
    const node = this.byId.get(id);
    if (!node) throw new RangeError(`The lesson has no state ${id}.`);
    return node;
  }

  at(step: number): Moment {
    const closedIds = this.taken.slice(0, step);
    const closed = closedIds.map((id) => this.node(id));
    const isClosed = new Set(closedIds);
    const open = this.lesson.nodes
      .filter((node) => h(node) < Infinity && !isClosed.has(node.id))
      .filter((node) => (this.appears.get(node.id) ?? Infinity) <= step)
      .sort((a, b) => this.compare(a, b));
    const taken = closed[closed.length - 1] ?? null;
    const fresh = taken
      ? (this.lesson.generated[step - 1] ?? [])
          .filter((id) => this.appears.get(id) === step)
          .map((id) => this.node(id))
      : [];
    const finished = step >= this.steps;
    const next = finished ? null : this.node(this.taken[step]);
    return { step, finished, taken, fresh, open, closed, next };
  }

  /** The order of the open list: the smallest f first, among equals the greatest g (and so the
   * smallest h), among these the state that was generated last. */
  private compare(a: LessonNode, b: LessonNode): number {
    // The states that are taken in the end settle what the three rules leave open.
    const order = (node: LessonNode) => this.position.get(node.id) ?? Infinity;
    return f(a) - f(b) || b.g - a.g || compare(order(a), order(b)) || b.id - a.id;
  }
}

const compare = (a: number, b: number): number => (a === b ? 0 : a < b ? -1 : 1);

export interface Feedback {
  right: boolean;
  text: string;
}

/** What to say to a reader who thinks that A* takes `guess` next. */
export function judge(moment: Moment, guess: LessonNode): Feedback {
  const next = moment.next;
  if (!next) return { right: false, text: "The search is over." };
  if (!moment.open.includes(guess)) {
    return { right: false, text: "This state is closed: it was expanded already." };
  }
  const least = f(next);
  const alike = moment.open.filter((node) => f(node) === least);
  if (guess.id === next.id) {
    if (alike.length === 1) {
      return { right: true, text: `Right: f = ${least} is the smallest on the open list.` };
    }
    const deepest = alike.filter((node) => node.g === next.g);
    return {
      right: true,
      text:
        deepest.length === 1
          ? `Right: ${alike.length} states share f = ${least}, and this one has come furthest (g = ${next.g}).`
          : `Right: ${deepest.length} states share f = ${least} and g = ${next.g}; the search takes the one that it generated last.`,
    };
  }
  if (f(guess) > least) {
    return {
      right: false,
      text: `Not yet: f = ${guess.g} + ${guess.h} = ${f(guess)}, and a state with f = ${least} is waiting.`,
    };
  }
  if (guess.g < next.g) {
    return {
      right: false,
      text: `Nearly: f = ${least} is the smallest, but among equals A* takes the one with the greater g: ${next.g}, not ${guess.g}. It is closer to the goal.`,
    };
  }
  return {
    right: true,
    text: `Just as good: f and g are equal. This search takes the one that it generated last, which is another.`,
  };
}

/** What the last step did, in a sentence. */
export function narration(moment: Moment, recording: Recording): string {
  const { taken, fresh } = moment;
  if (!taken) {
    const start = recording.at(0).open[0];
    return `The start is on the open list: no move made (g = 0), at least ${start?.h ?? 0} to go (h).`;
  }
  if (moment.finished) {
    const length = recording.lesson.optimal_length;
    return `The goal has the smallest f, so no other path can be shorter: ${length} ${length === 1 ? "move" : "moves"}, proven.`;
  }
  const children =
    fresh.length === 0
      ? "it leads to no new state"
      : `it leads to ${fresh.length} new ${fresh.length === 1 ? "state" : "states"}`;
  return `Step ${moment.step}: the state with f = ${taken.g} + ${taken.h} = ${f(taken)} was taken; ${children}.`;
}
