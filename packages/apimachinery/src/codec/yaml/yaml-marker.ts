const MARKER = /(?:---|\.\.\.)(?=\s|$)/y;

/** Reports whether a marker that begins or ends a document is at a place, which must be the start of a line. */
export function isMarker(source: string, position: number): boolean {
  MARKER.lastIndex = position;
  return MARKER.test(source);
}
