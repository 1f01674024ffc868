// What hands do on a board: press, hold and drag tokens, and turn a projection by one finger or two.

import type { Cells } from "../types";
import { handOf, type Hand } from "./hand";
import { aim, type Point } from "./layout";

/** The board as the gestures see it: everything is read when it is needed. */
export interface GestureHost {
  readonly svg: SVGSVGElement | undefined;
  /** Whether anything answers. */
  readonly active: boolean;
  readonly projected: boolean;
  readonly dimension: number;
  readonly cells: Cells;
  readonly selected: number | null;
  readonly destinations: number[];
  /** Whether tokens are tiles, which slide to their neighbours only. */
  readonly tiles: boolean;
  readonly points: Point[];
  readonly radius: number;
  /** Pixels of the screen for a unit of the picture. */
  readonly scale: number;
  /** Whether a long press means anything. */
  readonly holds: boolean;
  /** The vertices to which the token on a vertex may slide. */
  reach(vertex: number): number[];
  focus(vertex: number): void;
  /** Turns the projection toward an axis by a drag of `dx` and `dy` pixels. */
  turn(dx: number, dy: number, toward: number): void;
  press(vertex: number, by: Hand): void;
  drop(from: number, to: number, by: Hand): void;
  /** A token was let go where it may not slide: on another vertex, or beside all of them. */
  refuse(from: number, to: number | null): void;
  hold(vertex: number): void;
  point(vertex: number | null): void;
}

/** Milliseconds after which a press is a long one. */
const LONG = 500;
/** Pixels after which a press is a drag. */
const FAR = 8;

export class Gestures {
  /** The token that is being dragged, the vertex below it, and whether it may slide there. */
  drag = $state.raw<{ from: number; at: Point; to: number | null; free: boolean } | null>(null);
  turning = $state(false);
  /** Whether the focus came by a pointer. */
  pointed = false;

  #host: GestureHost;
  /** What is pressed; `slid` where that has moved a tile already, as it does where only one cell is empty. */
  #pressed: { vertex: number; at: Point; id: number; slid: boolean } | null = null;
  #turn: { x: number; y: number; id: number; toward: number } | null = null;
  #holding: ReturnType<typeof setTimeout> | undefined;
  /** The fingers on a projection; two of them turn it toward the fourth axis. */
  #fingers = new Map<number, Point>();

  constructor(host: GestureHost) {
    this.#host = host;
  }

  #place(event: PointerEvent | Touch): Point {
    const matrix = this.#host.svg?.getScreenCTM()?.inverse();
    const point = new DOMPoint(event.clientX, event.clientY).matrixTransform(matrix);
    return { x: point.x, y: point.y };
  }

  /**
   * Whether a finger that goes from one place to another drags the token on a vertex. It scrolls the page where
   * the token cannot move, and where a tile cannot move that way.
   */
  #drags(vertex: number, from: Point, to: Point): boolean {
    const host = this.#host;
    if (host.cells[vertex] === null) return false;
    const ends = host.reach(vertex);
    if (!host.tiles) return ends.length > 0;
    const { x, y } = host.points[vertex];
    const [dx, dy] = [to.x - from.x, to.y - from.y];
    return ends.some((end) => {
      const [right, down] = [host.points[end].x - x, host.points[end].y - y];
      return dx * right + dy * down >= Math.SQRT1_2 * Math.hypot(dx, dy) * Math.hypot(right, down);
    });
  }

  /** Forgets a long press that is under way. */
  end = (): void => clearTimeout(this.#holding);

  /** The focus is on a vertex: by a key, unless one is pressed. */
  focused(): void {
    if (!this.#pressed) this.pointed = false;
  }

  down(event: PointerEvent, vertex: number): void {
    const host = this.#host;
    this.pointed = true;
    if (!host.active || event.button !== 0 || this.#fingers.size > 1) return;
    host.focus(vertex);
    this.#pressed = { vertex, at: this.#place(event), id: event.pointerId, slid: false };
    clearTimeout(this.#holding);
    if (host.holds && host.cells[vertex] !== null)
      this.#holding = setTimeout(() => {
        if (this.drag || this.#pressed?.vertex !== vertex) return;
        this.#pressed = null;
        host.hold(vertex);
      }, LONG);
    event.stopPropagation();
  }

  finger = (event: PointerEvent): void => {
    const host = this.#host;
    if (!host.projected || !host.active || event.pointerType !== "touch") return;
    this.#fingers.set(event.pointerId, { x: event.clientX, y: event.clientY });
    if (this.#fingers.size !== 2 || host.dimension < 4) return;
    clearTimeout(this.#holding);
    [this.#pressed, this.drag, this.#turn] = [null, null, null];
    this.turning = true;
    for (const id of this.#fingers.keys()) host.svg?.setPointerCapture(id);
  };

  /** Forgets a finger, and whether it was one of two that turned the picture. */
  #lift(event: PointerEvent): void {
    const two = this.#fingers.size > 1;
    if (this.#fingers.delete(event.pointerId) && two && this.#host.dimension > 3)
      this.turning = this.#fingers.size > 1;
  }

  /** Keeps a finger that holds a token from scrolling the page; browsers ignore `touch-action` on
   * the parts of a picture. */
  holdPage = (element: SVGSVGElement): (() => void) => {
    const hold = (event: TouchEvent): void => {
      if (!event.cancelable) return;
      const pressed = this.#pressed;
      const meant =
        pressed && (pressed.slid || this.#drags(pressed.vertex, pressed.at, this.#place(event.touches[0])));
      if (this.turning || this.drag || meant) event.preventDefault();
    };
    element.addEventListener("touchmove", hold, { passive: false });
    return () => element.removeEventListener("touchmove", hold);
  };

  startTurn(event: PointerEvent, toward: number): void {
    const host = this.#host;
    if (!host.projected || !host.active || event.button !== 0 || this.#fingers.size > 1) return;
    this.#turn = { x: event.clientX, y: event.clientY, id: event.pointerId, toward };
    this.turning = true;
    (event.currentTarget as Element).setPointerCapture(event.pointerId);
  }

  move = (event: PointerEvent): void => {
    const host = this.#host;
    const before = this.#fingers.get(event.pointerId);
    if (before) {
      this.#fingers.set(event.pointerId, { x: event.clientX, y: event.clientY });
      // Each of two fingers moves their middle by half of its own way.
      if (this.#fingers.size > 1 && host.dimension > 3)
        return host.turn((event.clientX - before.x) / 2, (event.clientY - before.y) / 2, 3);
    }
    const turn = this.#turn;
    if (turn?.id === event.pointerId) {
      const toward = event.shiftKey && host.dimension > 3 ? 3 : turn.toward;
      host.turn(event.clientX - turn.x, event.clientY - turn.y, toward);
      this.#turn = { ...turn, x: event.clientX, y: event.clientY };
      return;
    }
    const pressed = this.#pressed;
    if (pressed?.id !== event.pointerId || pressed.slid) return;
    const at = this.#place(event);
    if (!this.drag) {
      const far = Math.hypot(at.x - pressed.at.x, at.y - pressed.at.y) * host.scale > FAR;
      if (!far || host.cells[pressed.vertex] === null) return;
      clearTimeout(this.#holding);
      if (event.pointerType === "touch" && !this.#drags(pressed.vertex, pressed.at, at)) {
        this.#pressed = null;
        return;
      }
      if (host.selected !== pressed.vertex) host.press(pressed.vertex, handOf(event));
      host.svg?.setPointerCapture(event.pointerId);
      pressed.slid = host.cells[pressed.vertex] === null;
      if (pressed.slid) return;
    }
    const to = aim(host.points, host.radius, host.destinations, at);
    const free = to !== null && host.destinations.includes(to);
    this.drag = { from: pressed.vertex, at, to, free };
    host.point(free ? to : null);
  };

  up = (event: PointerEvent): void => {
    const host = this.#host;
    this.#lift(event);
    if (this.#turn?.id === event.pointerId) [this.#turn, this.turning] = [null, false];
    if (this.#pressed?.id !== event.pointerId) return;
    const { slid, vertex } = this.#pressed;
    const by = handOf(event);
    this.#pressed = null;
    clearTimeout(this.#holding);
    if (this.drag) {
      const { from, to, free } = this.drag;
      this.drag = null;
      if (to !== null && free) host.drop(from, to, by);
      else if (to !== from) host.refuse(from, to);
    } else if (!slid) host.press(vertex, by);
  };

  cancel = (event: PointerEvent): void => {
    this.#lift(event);
    clearTimeout(this.#holding);
    if (this.#turn?.id === event.pointerId) [this.#turn, this.turning] = [null, false];
    if (this.#pressed?.id === event.pointerId) [this.#pressed, this.drag] = [null, null];
  };
}
