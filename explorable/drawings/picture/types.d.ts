// What a picture has beside what every drawing has; the Python side is picture.py.

/** What the reader paints with: its name, its color, and the numbers that a cell then holds. */
interface Ink { name: string; color: string; numbers: number[] }
interface PixelGrid extends Drawing {
  size: [rows: number, columns: number]; colors: [name: string, color: string][]; rgb: boolean; vmax: number;
  inks: Ink[]; patch: [rows: number, columns: number] | []; roomy: boolean; side: number; editable: boolean;
  full: number; tint: string;
  pixels: HTMLElement[][]; patches: HTMLElement[]; key: InkKey | null; was?: Float64Array;
}
/** The inks to choose from: which of them is chosen. */
interface InkKey { node: HTMLElement; chosen(): number }
/** A cell that was painted, until Python has answered the message of this number. */
interface Wet extends Cell { numbers: number[]; message: number }
