// Trees with many branches stay readable when the states that can never be taken are drawn as one.

import type { LessonNode } from "../lib/types";
import { f } from "./steps";

/** From this number on, siblings that are never taken are drawn as one. */
const MANY = 5;

export interface Drawn {
  id: number;
  parent: number | null;
  /** The states that it stands for: the one with the smallest f first. */
  nodes: LessonNode[];
}

/** What is drawn of a tree: every state that is taken; of the others those that a parent has few
 * of, and otherwise one for each parent and each f that could still be taken, and one for all
 * greater f. */
export function bundle(nodes: LessonNode[], taken: Set<number>, optimal: number): Drawn[] {
  const drawn: Drawn[] = [];
  const bundles = new Map<string, Drawn>();
  const never = new Map<number | null, number>();
  for (const node of nodes) {
    if (!taken.has(node.id)) never.set(node.parent, (never.get(node.parent) ?? 0) + 1);
  }
  for (const node of nodes) {
    const alone = taken.has(node.id) || (never.get(node.parent) ?? 0) < MANY;
    const key = `${node.parent} ${Math.min(f(node), optimal + 1)}`;
    const known = alone ? undefined : bundles.get(key);
    if (known) {
      known.nodes.push(node);
      known.nodes.sort((a, b) => f(a) - f(b));
      known.id = known.nodes[0].id;
      continue;
    }
    const one: Drawn = { id: node.id, parent: node.parent, nodes: [node] };
    drawn.push(one);
    if (!alone) bundles.set(key, one);
  }
  return drawn;
}
