// What a tree has beside what every drawing has; the Python side is tree.py.

interface Tree extends Drawing {
  words: string[]; parents: number[]; states: string[]; taken: number; measure: string;
  marks: { taken: string; ended: string };
  /** Of each depth: where its tokens stand and how wide they are, in em. */
  columns: [number, number][];
  pane: HTMLElement; plate: HTMLElement; picture: SVGElement; nodes: HTMLElement[]; lines: SVGElement[];
  /** The branches that are folded, each by its path; and what is seen of the others, in order. */
  folds: Set<string>; behind: number[][]; order: number[];
}
