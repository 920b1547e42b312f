// What links have beside what every drawing has; the Python side is links.py.

interface AttentionLinks extends Drawing {
  rows: string[]; columns: string[]; axes: [string, string]; back: string; all_of_it: string;
  arcs: boolean; chosen: number; features: string[]; vmax: number; sayings: string[];
  body: HTMLElement; picture: SVGElement; ribbons: SVGElement[][]; queries: End[]; keys: End[];
}
interface End { line: HTMLElement; weight: HTMLElement; cells: HTMLElement[] }
