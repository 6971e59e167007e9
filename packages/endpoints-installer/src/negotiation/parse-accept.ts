/**
 * Maximum number of alternatives, and of parameters of each. Upstream reads the whole header. Clients send a few, and a
 * header with a hundred thousand must not block the server before authentication.
 */
export const MAX_ALTERNATIVES = 100;
const MAX_PARAMETERS = 100;

/** One alternative of an Accept header. */
export interface AcceptClause {
  readonly type: string;
  readonly subtype: string;
  readonly quality: number;
  /** Parameters other than `q`, in their order. The last of repeated ones counts. */
  readonly params: ReadonlyMap<string, string>;
}

/**
 * The alternatives of an Accept header, most preferred first: by quality, then concrete types before wildcards, then as
 * sent. Between a wildcard and a less preferred concrete type the last one comes first, as in upstream's comparison.
 * Invalid media types are omitted, as upstream.
 *
 * Upstream: ParseAccept in github.com/munnerz/goautoneg
 */
export function parseAccept(header: string): readonly AcceptClause[] {
  let clauses = recent.get(header);
  if (clauses === undefined) {
    clauses = parse(header);
    if (header.length <= MAX_RECENT_LENGTH) {
      if (recent.size === MAX_RECENT) recent.clear();
      recent.set(header, clauses);
    }
  }
  return clauses;
}

/** Clients send few different headers, each of them all the time. */
const recent = new Map<string, readonly AcceptClause[]>();
const MAX_RECENT = 64;
const MAX_RECENT_LENGTH = 256;

function parse(header: string): readonly AcceptClause[] {
  const clauses = header
    .split(',', MAX_ALTERNATIVES)
    .map(parseClause)
    .filter((clause) => clause !== undefined);
  if (clauses.length > FEW) return clauses.sort((a, b) => Number(comesFirst(b, a)) - Number(comesFirst(a, b)));
  const sorted: AcceptClause[] = [];
  for (const clause of clauses) {
    let at = sorted.length;
    while (at > 0 && comesFirst(clause, sorted[at - 1] as AcceptClause)) at--;
    sorted.splice(at, 0, clause);
  }
  return sorted;
}

/** Maximum number that is sorted by insertion, as upstream. */
const FEW = 12;

function parseClause(text: string): AcceptClause | undefined {
  const [mediaType = '', ...rest] = text.trim().split(';', MAX_PARAMETERS + 1);
  const [type = '', subtype = '', more = ''] = mediaType.split('/', 3);
  if (more !== '' || (subtype === '' && type.trim() !== '*')) return undefined;
  const params = new Map<string, string>();
  let quality = 1;
  for (const parameter of rest) {
    const [name = '', value = '', tooMuch = ''] = parameter.split('=', 3);
    if (value === '' || tooMuch !== '') continue;
    if (name.trim() === 'q') quality = QUALITY.test(value) ? Number(value) : 0;
    else params.set(name.trim(), value.trim());
  }
  return { type: type.trim(), subtype: subtype === '' ? '*' : subtype.trim(), quality, params };
}

/** The number of a quality. A mismatch is found in linear time. */
export const QUALITY = /^[+-]?(?:\d+(?:\.\d*)?|\.\d+)(?:e[+-]?\d+)?$/i;

/** Not a strict order: of two clauses, each may precede the other. */
function comesFirst(a: AcceptClause, b: AcceptClause): boolean {
  if (a.quality > b.quality) return true;
  return (a.type !== '*' && b.type === '*') || (a.subtype !== '*' && b.subtype === '*');
}
