/** One alternative of an Accept header. */
export interface AcceptClause {
  readonly type: string;
  readonly subtype: string;
  readonly quality: number;
  /** Parameters other than `q`, in the order sent; of a repeated one the last. */
  readonly params: ReadonlyMap<string, string>;
}

/**
 * The alternatives of an Accept header, most wanted first: by quality, then concrete types before wildcards, then as
 * sent. What is no media type is left out, as upstream leaves it out.
 *
 * Upstream: github.com/munnerz/goautoneg
 */
export function parseAccept(header: string): readonly AcceptClause[] {
  return header
    .split(',')
    .map(parseClause)
    .filter((clause) => clause !== undefined)
    .sort(byPreference);
}

function parseClause(text: string): AcceptClause | undefined {
  const [mediaType = '', ...rest] = text.split(';');
  const [type = '', subtype, ...more] = mediaType.trim().split('/');
  if (more.length > 0) return undefined;
  if (subtype === undefined && type.trim() !== '*') return undefined;
  const params = new Map<string, string>();
  let quality = 1;
  for (const parameter of rest) {
    const [name = '', value, ...tooMuch] = parameter.split('=');
    if (value === undefined || value === '' || tooMuch.length > 0) continue;
    if (name.trim() === 'q') quality = Number.parseFloat(value) || 0;
    else params.set(name.trim(), value.trim());
  }
  return { type: type.trim(), subtype: subtype?.trim() ?? '*', quality, params };
}

function byPreference(a: AcceptClause, b: AcceptClause): number {
  return b.quality - a.quality || wildcards(a.type, b.type) || wildcards(a.subtype, b.subtype);
}

function wildcards(a: string, b: string): number {
  return Number(a === '*') - Number(b === '*');
}
