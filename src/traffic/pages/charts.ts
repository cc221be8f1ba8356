/** Colours by meaning; each maps to one of the page's named colours. */
export type SeriesColour =
  'accepted' | 'refused' | 'other' | 'first' | 'second' | 'third' | 'fourth' | 'fifth' | 'sixth' | 'seventh' | 'plain';

/** One line of a chart; null leaves a gap. */
export interface Series {
  readonly name: string;
  readonly colour: SeriesColour;
  readonly style: 'line' | 'step' | 'dash' | 'points';
  readonly values: readonly (number | null)[];
  /** Left out until the reader asks for it. */
  readonly hidden?: boolean;
}

/** A stretch of the horizontal axis with a name, in its units. */
export interface Span {
  readonly name: string;
  readonly from: number;
  readonly to: number;
}

/** One chart as the page's script draws it; `x` ascends, and every series has one value for each of its entries. */
export interface Chart {
  readonly id: string;
  readonly title: string;
  /** A hint for the reader, in a sentence or two. */
  readonly note: string;
  readonly xName: string;
  readonly yName: string;
  readonly xScale: 'even' | 'log' | 'date';
  readonly yScale: 'even' | 'log';
  readonly x: readonly number[];
  readonly series: readonly Series[];
  readonly spans: readonly Span[];
  /** Charts with the same word share one cursor. */
  readonly sync: string | null;
}

/** A number with as many digits as a chart can show. */
export function rounded(value: number): number {
  return Number(value.toPrecision(6));
}
