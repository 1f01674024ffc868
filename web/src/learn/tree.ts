// Where the states of a search tree are drawn: columns by the number of moves, rows so that no two
// overlap and every state stands at the middle of its children.

export interface TreeNode {
  id: number;
  parent: number | null;
}

export interface Place {
  id: number;
  column: number;
  /** In rows, not necessarily a whole number. */
  row: number;
}

/** The places of all nodes. A node's rows depend on the whole tree, so that nothing moves while a
 * search is shown step by step. Children stand in the order of the list.
 *
 * A compact layout: subtrees are pushed together until their outlines are one row apart. */
export function treeLayout(nodes: TreeNode[]): Map<number, Place> {
  const children = new Map<number | null, number[]>();
  const known = new Set(nodes.map((node) => node.id));
  for (const node of nodes) {
    const parent = node.parent !== null && known.has(node.parent) ? node.parent : null;
    const list = children.get(parent);
    if (list) list.push(node.id);
    else children.set(parent, [node.id]);
  }
  const places = new Map<number, Place>();
  let below = 0;
  for (const root of children.get(null) ?? []) {
    const tree = arrange(root, children);
    const top = Math.min(...tree.top);
    assign(tree, 0, below - top, places);
    below += Math.max(...tree.bottom) - top + 1;
  }
  return places;
}

interface Subtree {
  id: number;
  /** The rows of the children relative to this node's own. */
  children: { tree: Subtree; offset: number }[];
  /** The outline by depth below this node, relative to its row. */
  top: number[];
  bottom: number[];
}

function arrange(id: number, children: Map<number | null, number[]>): Subtree {
  const parts = (children.get(id) ?? []).map((child) => arrange(child, children));
  const offsets: number[] = [];
  const top: number[] = [];
  const bottom: number[] = [];
  for (const part of parts) {
    let offset = 0;
    for (let depth = 0; depth < Math.min(bottom.length, part.top.length); depth++) {
      offset = Math.max(offset, bottom[depth] + 1 - part.top[depth]);
    }
    offsets.push(offset);
    part.top.forEach((row, depth) => {
      if (depth >= top.length) top.push(row + offset);
      bottom[depth] = part.bottom[depth] + offset;
    });
  }
  const middle = offsets.length === 0 ? 0 : (offsets[0] + offsets[offsets.length - 1]) / 2;
  return {
    id,
    children: parts.map((tree, i) => ({ tree, offset: offsets[i] - middle })),
    top: [0, ...top.map((row) => row - middle)],
    bottom: [0, ...bottom.map((row) => row - middle)],
  };
}

function assign(tree: Subtree, column: number, row: number, places: Map<number, Place>): void {
  places.set(tree.id, { id: tree.id, column, row });
  for (const child of tree.children) assign(child.tree, column + 1, row + child.offset, places);
}
