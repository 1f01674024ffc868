// One puzzle on the page of play: which it is, what was done with it, and what is said about it.

import { tick, untrack } from "svelte";
import { api } from "../lib/api";
import { whenBack } from "../lib/connection.svelte";
import { copyText } from "../lib/copy";
import { viewsOf, type View } from "../lib/board/layout";
import type { Hand } from "../lib/board/hand";
import { isFinal, messageOf } from "../lib/errors";
import { boardName, hasRows, moveWords, plural, puzzleName, sentence } from "../lib/names";
import { continues, decodePlay, encodePlay, parseTypedMove, tileFor } from "../lib/notation";
import {
  bests,
  keepBest,
  keepDrawn,
  keepLast,
  keepPlay,
  keepShown,
  keptPlay,
  known,
  knownOf,
  ladder,
  lastPuzzle,
  madeHere,
  wasShown,
  type Best,
  type Known,
} from "../lib/progress";
import { go, href, router } from "../lib/router.svelte";
import { ableToReach, isLegal, onlyEmpty, slideTo, soleEmpty } from "../lib/rule";
import { Session } from "../lib/session.svelte";
import { saveSettings, settings, viewKey, viewOf } from "../lib/settings.svelte";
import { CONTROLS, groupOf, keepSolve, type Control } from "../lib/stats";
import { read, write } from "../lib/storage";
import type { Level, Move, Puzzle } from "../lib/types";
import { Assist } from "./assist.svelte";
import { FIRST } from "./first";
import { announce, announceHidden, explainBlocked, explainReach, explainRefusal, explainSelected } from "./words";

const USUAL = "cube:4:2 b=9,g=4,p=1,r=0,y=11 -> b=4,g=13,p=7,r=5,y=1";

export type DialogName = "new" | "keys" | "files" | "more" | "reset" | "scramble" | "watch";

const controlOf = (hand: Hand): Control => (hand === "mouse" ? "click" : hand);

export class Player {
  readonly session = new Session();
  readonly assist = new Assist(this.session);
  /** Whether the board stands alone on another page. */
  readonly embed: boolean = false;
  /** Whether the screen is a phone's. */
  readonly narrow = matchMedia("(max-width: 35em)").matches;

  loading = $state(true);
  /** Why the puzzle could not be opened. */
  problem = $state.raw<{ message: string; isFinal: boolean } | null>(null);
  /** What is said below the board. */
  note = $state<string | null>(null);
  /** What a screen reader says. */
  spoken = $state("");
  level = $state.raw<Known | null>(null);
  /** The level after this one. */
  next = $state.raw<Level | null>(null);
  /** The best result before this one. */
  before = $state.raw<Best | null>(null);
  helped = $state(false);
  /** Whether a move of this play was made in this browser, and not all of them read from a link. */
  own = $state(false);
  /** The statistics that the solve on the board has entered. */
  group = $state<string | null>(null);
  tutorial = $state(false);
  /** Whether somebody who has never played here has opened the puzzle by a link. */
  newcomer = $state(false);
  /** Whether the moves on the board came with a link, and the player has made no choice about them. */
  brought = $state(false);
  /** The puzzle that the player left for the first steps. */
  left = $state<string | null>(null);
  /** Which of the free faces of the selected token is tinted. */
  shownFace = $state(0);
  /** The tokens that can slide to the empty vertex that was pressed. */
  able = $state.raw<number[]>([]);
  /** The vertices whose tokens are in the way. */
  blocking = $state.raw<number[]>([]);
  dialog = $state<DialogName | null>(null);
  solving = $state(false);
  /** Milliseconds of a move on the board. */
  pace = $state(160);
  /** Whether a play without numbers was declared to be at its end. */
  confirmed = $state(false);

  /** Whether the last change of the position was a move of the player. */
  #live = false;
  /** Whether the puzzle was begun before, so that it is no longer new to the player. */
  #retried = false;
  /** How the moves of this play were made. */
  #hands: Control[] = [];
  /** The number of presses that made them: one press may move several tiles. */
  #presses = 0;
  /** Whether the next move is made by the same press as the last one. */
  #joined = false;
  #drawing = false;
  #loaded = "";
  /** The number of times that a puzzle was asked for. */
  #loads = 0;
  #reflecting: ReturnType<typeof setTimeout> | undefined;
  #wasFinished = false;

  readonly puzzle = $derived(this.session.puzzle);
  readonly board = $derived(this.puzzle.board);
  readonly line = $derived(this.session.line());
  readonly ready = $derived(this.session.cells.length > 0);
  readonly views = $derived(viewsOf(this.board));
  readonly view = $derived(viewOf(this.board, this.narrow));
  readonly title = $derived(
    this.tutorial ? "First steps" : (this.level?.title ?? (this.ready ? puzzleName(this.puzzle) : "")),
  );
  readonly minimum = $derived(this.ready ? this.assist.minimum : null);
  readonly here = $derived(this.ready ? this.assist.distanceOf(this.line) : null);
  /** Whether the arrow keys move tiles: the board has rows, and exactly one cell is empty. */
  readonly steered = $derived(this.ready && hasRows(this.board) && soleEmpty(this.session.cells) !== null);
  /** The only empty vertex, if there is one only. */
  readonly empty = $derived(this.ready ? onlyEmpty(this.board, this.session.cells) : null);
  readonly unsolvable = $derived(this.assist.solvability?.solvable === false);
  readonly hint = $derived(this.assist.hint && this.assist.hintLine === this.line ? this.assist.hint : null);
  /** Whether the numbers of the tiles are hidden. */
  readonly covered = $derived(
    settings.blind &&
      !this.embed &&
      this.board.family === "grid" &&
      this.session.history.length > 0 &&
      !this.confirmed,
  );
  readonly finished = $derived(this.session.solved && this.session.cursor > 0 && !this.covered);
  /** Whether the board has slices, through which keys lead. */
  readonly sliced = $derived(this.board.family === "cube" && (this.board.dimension ?? 0) > 3);
  readonly explained = $derived(
    this.session.selected === null || this.covered
      ? null
      : explainSelected(this.board, this.session.cells, this.session.selected, this.shownFace),
  );
  readonly tinted = $derived(
    this.explained && this.board.family !== "grid" && this.explained.faces.length
      ? this.explained.faces[this.shownFace % this.explained.faces.length]
      : [],
  );
  /** What this player has done with the puzzle so far. */
  readonly record = $derived.by(() => {
    if (!this.ready || this.unsolvable || this.tutorial) return "";
    if (this.finished) return "Solved";
    const best = bests()[this.puzzle.puzzle];
    return best ? `Your best so far: ${plural(best.moves, "move")}` : "Not solved by you yet";
  });
  /** How the position stands to a shortest way, in a sentence. */
  readonly standing = $derived.by(() => {
    const { here, minimum, session } = this;
    if (!settings.distance || !here || this.finished || this.covered) return null;
    const go = `${here.proven ? "" : "about "}${here.moves} to go`;
    if (!minimum || (session.cursor === 0 && here.moves === minimum.moves))
      return minimum?.proven ? null : { text: go, good: false };
    const more = session.cursor + here.moves - minimum.moves;
    if (more <= 0 && here.proven && minimum.proven)
      return { text: `On a shortest way: ${go}`, good: true };
    return { text: more > 0 ? `${more} ${more === 1 ? "move" : "moves"} lost: ${go}` : go, good: false };
  });

  /** To be made while a component is, since it follows the address and the settings. */
  constructor(embed: boolean) {
    this.embed = embed;
    $effect(() => {
      const { fragment, page } = router.route;
      if (page !== "play") return;
      const wanted = fragment.get("p");
      const play = fragment.get("m");
      untrack(() => {
        if (wanted && wanted === this.#loaded && !play) return this.close();
        const first = !embed && !read("welcomed", false) && !lastPuzzle();
        this.newcomer = first && wanted !== null && wanted !== FIRST;
        void this.load(wanted ?? lastPuzzle() ?? (first ? FIRST : USUAL), play);
      });
    });
    $effect(() => {
      void this.session.history;
      void this.session.cursor;
      untrack(() => {
        if (!this.ready || this.#loaded !== this.puzzle.puzzle) return;
        clearTimeout(this.#reflecting);
        this.#reflecting = setTimeout(() => this.flush(), 350);
      });
    });
    // The distance is looked up once the player pauses, not after every move of a quick sequence.
    $effect(() => {
      const now = this.line;
      if (!settings.distance || !now || this.unsolvable || this.session.playing) return;
      const timer = setTimeout(() => void this.assist.ask(now), 220);
      return () => clearTimeout(timer);
    });
    // What the server was not there to say is asked for when it is back.
    whenBack(() => {
      if (this.problem && !this.problem.isFinal) location.reload();
      else if (this.ready) void this.assist.catchUp();
    });
    $effect(() => {
      if (!this.session.running) return;
      const timer = setInterval(() => this.session.tick(), 100);
      return () => clearInterval(timer);
    });
    $effect(() => {
      const now = this.finished;
      untrack(() => {
        if (now && !this.#wasFinished && this.#loaded) {
          this.#keepResult();
          if (this.tutorial) write("welcomed", true);
          this.reflect();
        }
        this.#wasFinished = now;
      });
    });
    $effect(() => {
      this.session.blind = settings.blind && !embed && this.board.family === "grid" && !this.confirmed;
    });
    // Moves that a program found are help.
    $effect(() => {
      if (this.session.playing) this.helped = true;
    });
  }

  // --- Which puzzle -----------------------------------------------------------------------------

  async load(wanted: string, play: string | null): Promise<void> {
    this.flush(false);
    this.loading = true;
    [this.problem, this.dialog] = [null, null];
    // An answer that comes after another puzzle was asked for is not wanted any more.
    const load = ++this.#loads;
    try {
      const puzzle = await api.puzzle(wanted);
      if (load !== this.#loads) return;
      // An address may be older than the play, whose last moves were made as the page was left.
      const kept = keptPlay(puzzle.puzzle);
      const latest = play && kept && continues(kept.moves, play) ? kept.moves : play;
      this.show(puzzle, known(wanted) ?? known(puzzle.puzzle), latest);
    } catch (error) {
      if (load === this.#loads) this.problem = { message: messageOf(error), isFinal: isFinal(error) };
    } finally {
      if (load === this.#loads) this.loading = false;
    }
  }

  /** Wants no other puzzle any more: the page is left, or the one on the board is asked for. */
  close(): void {
    this.#loads += 1;
    this.loading = false;
    this.problem = null;
  }

  /** Puts a puzzle on the board, with a play of it or the one that was kept. */
  show(puzzle: Puzzle, title: Known | null, play: string | null): void {
    const { session } = this;
    this.flush(false);
    let damaged: string | null = null;
    const kept = keptPlay(puzzle.puzzle);
    const moves = play ?? kept?.moves ?? "";
    try {
      const history = decodePlay(puzzle.board, puzzle.start, moves);
      const same = kept?.moves === moves ? kept : null;
      session.load(puzzle, history, same?.cursor, same?.elapsed);
      const mine = history.length > 0 ? madeHere(puzzle.puzzle, moves) : null;
      this.own = mine !== null && !mine.foreign;
      this.helped = mine ? (mine.helped ?? false) : history.length > 0;
    } catch (error) {
      damaged = messageOf(error);
      session.load(puzzle);
      [this.helped, this.own] = [false, false];
    }
    this.helped ||= wasShown(puzzle.puzzle);
    this.confirmed = session.solved;
    [this.#live, this.#retried, this.#hands, this.group] = [false, session.history.length > 0, [], null];
    this.#presses = 0;
    this.tutorial = puzzle.puzzle === FIRST;
    this.level = title;
    this.before = null;
    this.next = null;
    this.brought = session.history.length > 0 && !this.own && !this.finished;
    this.note = damaged;
    this.shownFace = 0;
    this.#unmark();
    // Whoever hears the page is told that another puzzle is on the board.
    if (this.#loaded && this.#loaded !== puzzle.puzzle) this.spoken = `Another puzzle: ${this.title}.`;
    this.#loaded = puzzle.puzzle;
    if (!this.embed) keepLast(puzzle.puzzle);
    this.reflect();
    void this.assist.begin(title?.minimum ?? null);
    if (!this.embed) void this.#findLevel(puzzle.puzzle);
  }

  /** Looks the puzzle up among the levels, for its title and for the level after it. */
  async #findLevel(line: string): Promise<void> {
    const { groups } = await ladder();
    if (line !== this.puzzle.puzzle) return;
    const all = groups.flatMap((group) => group.levels);
    const at = all.findIndex((one) => one.puzzle === line);
    this.next = at >= 0 ? (all[at + 1] ?? null) : null;
    if (at >= 0 && !this.level) this.level = knownOf(all[at]);
  }

  /** Keeps the play in this browser and, unless another page or puzzle has it, in the address. */
  reflect(address = true): void {
    if (!this.ready || this.embed) return;
    const { board, puzzle, session } = this;
    const moves = encodePlay(board, puzzle.start, session.history);
    if (session.history.length)
      keepPlay(puzzle.puzzle, {
        moves,
        cursor: session.cursor,
        elapsed: Math.round(session.elapsed),
        helped: this.helped,
        foreign: !this.own,
      });
    else keepPlay(puzzle.puzzle, null);
    if (!address) return;
    try {
      // Whoever gets the address of a solved puzzle is to solve it, and not to see the solution.
      history.replaceState(null, "", href("play", puzzle.puzzle, this.finished ? "" : moves));
    } catch {
      // Browsers limit how often the address may change; the play is kept all the same.
    }
  }

  /** Reflects a change that is still waiting for the hand to rest, and the clock if it runs. */
  flush(address = true): void {
    if (this.#reflecting === undefined && !this.session.running) return;
    clearTimeout(this.#reflecting);
    this.#reflecting = undefined;
    this.session.tick();
    this.reflect(address);
  }

  /** With what most of the moves were made, as far as that is known. */
  usualHand(): Control {
    if (!this.#hands.length) return this.narrow ? "touch" : "click";
    const count = (control: Control): number => this.#hands.filter((one) => one === control).length;
    return CONTROLS.reduce((most, one) => (count(one) > count(most) ? one : most));
  }

  /** Keeps a result that the player has found alone. */
  #keepResult(): void {
    const { puzzle, session } = this;
    this.before = bests()[puzzle.puzzle] ?? null;
    if (!this.#live || this.helped) return;
    const ms = Math.round(session.elapsed);
    // A single move takes no time, nor does a single press, however many tiles it moves.
    const isNew =
      !this.before && !this.#retried && !this.tutorial && session.cursor > 1 && this.#presses > 1;
    keepBest(puzzle.puzzle, { moves: session.cursor, ms });
    const mine = groupOf(puzzle, this.usualHand(), settings.blind && this.board.family === "grid");
    if (isNew) keepSolve({ ...mine, ms, stm: session.stm, mtm: session.mtm });
    this.group = isNew ? mine.group : null;
  }

  /** Draws another puzzle on the same board, by the same law. */
  scramble = async (): Promise<void> => {
    this.dialog = null;
    if (this.#drawing) return;
    this.#drawing = true;
    const { board, puzzle } = this;
    const distance = this.level?.drawnAt;
    const loads = this.#loads;
    try {
      const drawn = await api.random({
        board: board.board,
        metric: board.metric === "edge" ? "edge" : undefined,
        tokens: puzzle.start.filter((cell) => cell !== null).length,
        law: distance === undefined ? "uniform" : "distance",
        distance,
      });
      if (puzzle !== this.puzzle || loads !== this.#loads) return;
      keepDrawn(boardName(board), drawn);
      go("play", drawn.puzzle);
    } catch (error) {
      this.say(sentence(messageOf(error)));
    } finally {
      this.#drawing = false;
    }
  };

  askScramble = (): void => {
    if (this.covered) this.confirm();
    else if (this.session.cursor > 0 && !this.finished) this.dialog = "scramble";
    else void this.scramble();
  };

  takeFirstSteps = (): void => {
    this.left = this.puzzle.puzzle;
    go("play", FIRST);
  };

  refuseFirstSteps = (): void => {
    write("welcomed", true);
    this.newcomer = false;
  };

  leaveTutorial = (): void => {
    write("welcomed", true);
    go("play", this.left ?? USUAL);
    this.left = null;
  };

  share = async (): Promise<void> => {
    this.reflect();
    this.#unmark();
    const copied = await copyText(location.href);
    this.say(
      copied
        ? `The link to this puzzle ${this.finished ? "without your moves " : this.session.history.length ? "and your moves " : ""}is copied.`
        : "The link is in the address field: copy it from there.",
    );
  };

  // --- Playing ----------------------------------------------------------------------------------

  say = (text: string): void => {
    this.note = text;
    this.spoken = text;
  };

  #unmark(): void {
    [this.able, this.blocking] = [[], []];
  }

  select(vertex: number | null): void {
    const { session } = this;
    session.select(vertex);
    if (vertex !== null) this.brought = false;
    this.shownFace = 0;
    this.#unmark();
    this.note = null;
    if (vertex === null || session.selected === null || this.covered) return;
    const words = explainSelected(this.board, session.cells, vertex, 0);
    this.blocking = words.blocking;
    this.spoken = `${words.head} ${words.text}`;
  }

  move(from: number, to: number, by: Control, duration = 160): boolean {
    const { session } = this;
    const token = session.cells[from];
    this.pace = duration;
    session.stop();
    this.#live = true;
    if (token === null || !session.move({ from, to })) return false;
    this.#hands.push(by);
    if (!this.#joined) this.#presses += 1;
    this.own = true;
    this.brought = false;
    this.#unmark();
    this.note = null;
    this.assist.hintProblem = null;
    this.spoken = this.covered
      ? announceHidden(this.board, { from, to }, session.cursor)
      : announce(
          this.board,
          session.cells,
          { token, from, to },
          session.cursor,
          this.minimum,
          session.solved,
        );
    return true;
  }

  /** Makes moves by one press. */
  #together(moves: Move[], by: Control, duration?: number): void {
    for (const one of moves) {
      this.move(one.from, one.to, by, duration);
      this.#joined = true;
    }
    this.#joined = false;
  }

  #slide(vertex: number, by: Control, duration = 160): boolean {
    const moves = slideTo(this.board, this.session.cells, vertex);
    this.#together(moves, by, duration);
    return moves.length > 0;
  }

  /** Slides the tile next to the only empty cell that can go this way. */
  tile(direction: "U" | "D" | "L" | "R"): void {
    const from = tileFor(this.board, this.session.cells, direction);
    const to = soleEmpty(this.session.cells);
    if (from !== null && to !== null) this.move(from, to, "keys", 90);
  }

  tap = (vertex: number, hand: Hand): void => {
    const { board, session } = this;
    const selected = session.selected;
    const by = controlOf(hand);
    if (this.empty !== null && (this.#slide(vertex, by) || this.covered)) return;
    // With a single empty vertex there is only one place to go.
    const only = soleEmpty(session.cells);
    if (only !== null && isLegal(board, session.cells, vertex, only)) this.move(vertex, only, by);
    else if (vertex === selected) this.select(null);
    else if (session.cells[vertex] !== null) this.select(vertex);
    else if (selected !== null) {
      if (!this.move(selected, vertex, by)) {
        this.refuse(selected, vertex);
      }
    } else {
      const able = ableToReach(board, session.cells, vertex);
      if (able.length === 1) return this.select(able[0]);
      if (this.covered) return;
      this.able = able;
      this.say(explainReach(board, session.cells, able, vertex));
    }
  };

  /** Says why a token cannot slide to a vertex, or that it was let go beside the board. */
  refuse = (from: number, to: number | null): void => {
    if (this.covered) return;
    const why = explainRefusal(this.board, this.session.cells, from, to);
    this.blocking = why.blocking;
    this.say(why.text);
  };

  drop = (from: number, to: number, by: Hand): void => void this.move(from, to, controlOf(by), 0);

  /** The pointer or the focus is on a vertex. */
  point = (vertex: number | null, by: "pointer" | "focus"): void => {
    if (vertex === null) return;
    if (settings.hover && this.empty !== null && by === "pointer") {
      this.#slide(vertex, "hover", 0);
      return;
    }
    // The face that leads to the vertex under the pointer is the one to show.
    const { explained, session, shownFace } = this;
    const at = explained?.faces.findIndex((face) => face.includes(vertex)) ?? -1;
    const current = explained?.faces[shownFace % Math.max(1, explained.faces.length)];
    if (at >= 0 && vertex !== session.selected && !current?.includes(vertex)) this.shownFace = at;
  };

  /** Flashes the tokens that block the one on a vertex. */
  showBlockers = async (vertex: number): Promise<void> => {
    if (this.covered || this.session.cells[vertex] === null) return;
    const why = explainBlocked(this.board, this.session.cells, vertex);
    this.#unmark();
    await tick();
    this.blocking = why.blocking;
    this.say(why.text);
  };

  /** Ends a play without numbers, where only the player says that it is at its end. */
  confirm = (): void => {
    const { puzzle, session } = this;
    session.pause();
    this.confirmed = true;
    if (session.solved) return;
    this.helped = true;
    const wrong = puzzle.goal.filter((want, v) => want !== null && want !== "0" && session.cells[v] !== want);
    this.say(
      `Not solved: ${plural(wrong.length, "tile")} ${wrong.length === 1 ? "is" : "are"} not at home. You can continue with the numbers shown, or start again.`,
    );
  };

  /** Plays typed moves; throws what is wrong with them. */
  type(text: string): void {
    this.#together(parseTypedMove(text, this.board, this.session.cells), "keys");
  }

  showHint = async (): Promise<void> => {
    const { assist } = this;
    if (this.covered) return this.say("A hint would show the numbers: say first that you are done.");
    if (assist.asking || this.unsolvable || this.session.solved) return;
    this.helped = true;
    const hint = await assist.askHint();
    const first = hint?.moves[0];
    if (first) this.spoken = `Hint: ${moveWords(this.board, first)}. ${hint.explanation}`;
    else if (assist.hintProblem) this.spoken = sentence(assist.hintProblem);
  };

  playHint = (): void => {
    const first = this.hint?.moves[0];
    if (first) this.move(first.from, first.to, "click");
  };

  /** Plays moves that a program found, one after the other. */
  async animate(moves: Move[], seconds: number): Promise<void> {
    this.pace = 160;
    this.#unmark();
    this.note = null;
    keepShown(this.puzzle.puzzle);
    const played = await this.session.animateTo(moves, seconds);
    if (played) this.spoken = `The solution of ${plural(moves.length, "move")} was played to its end.`;
  }

  /** Notes that a program is asked for a solution. */
  searched = (): void => {
    this.helped = true;
    keepShown(this.puzzle.puzzle);
  };

  /** Tints the next of the free faces of the selected token. */
  nextFace = (): void => {
    if (!this.explained?.faces.length) return;
    this.shownFace += 1;
    this.spoken = `${this.explained.head} ${this.explained.text}`;
  };

  undo = (): void => {
    if (!this.session.canUndo) {
      this.spoken = "There is nothing to undo.";
      return;
    }
    this.session.undo();
    this.#changed(`Undone. ${sentence(plural(this.session.cursor, "move"))}`);
  };

  redo = (): void => {
    if (!this.session.canRedo) {
      this.spoken = "There is nothing to redo.";
      return;
    }
    this.session.redo();
    this.#changed(`Redone. ${sentence(plural(this.session.cursor, "move"))}`);
  };

  #changed(words: string): void {
    this.#live = false;
    this.#unmark();
    this.note = null;
    this.spoken = words;
  }

  /** Goes to a move of the history. */
  jump(cursor: number): void {
    this.#live = false;
    this.note = null;
    this.session.jump(cursor);
  }

  askReset = (): void => {
    if (!this.session.history.length) return;
    if (this.session.cursor > 0 && !this.finished) this.dialog = "reset";
    else this.reset();
  };

  reset = (): void => {
    const { session } = this;
    this.dialog = null;
    this.brought = false;
    this.#unmark();
    this.note = null;
    this.#retried ||= session.history.length > 0;
    this.helped = wasShown(this.puzzle.puzzle);
    [this.own, this.confirmed, this.#live, this.#hands, this.group] = [false, false, false, [], null];
    this.#presses = 0;
    this.assist.forgetHint();
    session.reset();
    this.spoken = "The puzzle is at its start again.";
  };

  setView(next: View): void {
    settings.views[viewKey(this.board)] = next;
    saveSettings();
  }

  nextView = (): void => {
    this.setView(this.views[(this.views.indexOf(this.view) + 1) % this.views.length]);
    this.spoken = `View: ${this.view}.`;
  };
}
