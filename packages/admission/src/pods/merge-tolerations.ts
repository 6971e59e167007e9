import type { Toleration } from '@apiserver/api/core/v1';
import { stringifyJson } from '@apiserver/apimachinery/codec/json';

/**
 * Merges two lists of tolerations and drops those that another one covers. In steps for `inSlices`.
 * Upstream: MergeTolerations of pkg/util/tolerations/tolerations.go
 */
export function* mergeTolerations(
  first: readonly Toleration[],
  second: readonly Toleration[],
): Generator<void, Toleration[]> {
  const remaining: Described[] = [];
  const later = new TolerationIndex();
  for (const toleration of [...first, ...second].reverse()) {
    yield;
    const one = described(toleration);
    // The first of several equal ones stays.
    if (!later.coversOther(one)) remaining.push(one);
    later.add(one);
  }
  const kept = new TolerationIndex();
  const merged: Toleration[] = [];
  for (const one of remaining.reverse()) {
    yield;
    if (kept.covers(one)) continue;
    kept.add(one);
    merged.push(one.toleration);
  }
  return merged;
}

/** Reports whether an allowed toleration covers each toleration. In steps. Upstream: VerifyAgainstWhitelist */
export function* areTolerationsAllowed(
  tolerations: readonly Toleration[],
  allowed: readonly Toleration[],
): Generator<void, boolean> {
  const index = new TolerationIndex();
  for (const wide of allowed) {
    yield;
    index.add(described(wide));
  }
  for (const toleration of tolerations) {
    yield;
    if (!index.covers(described(toleration))) return false;
  }
  return true;
}

/** A toleration with the same text as all that equal it. */
interface Described {
  readonly toleration: Toleration;
  readonly text: string;
}

function described(toleration: Toleration): Described {
  return { toleration, text: stringifyJson(toleration) };
}

const ALWAYS = Number.POSITIVE_INFINITY;

function secondsOf(seconds: Toleration['tolerationSeconds']): number {
  return seconds === undefined ? ALWAYS : Number(seconds);
}

/** The widest of the tolerations that differ in their seconds alone, and the widest one that is not equal to it. */
interface Widest {
  readonly text: string;
  readonly seconds: number;
  readonly other: number | undefined;
}

/**
 * Tolerations by the fields that decide what they cover: a pod and its namespace or class may have many thousands.
 * Upstream: isSuperset
 */
class TolerationIndex {
  readonly #texts = new Set<string>();
  readonly #widest = new Map<string, Widest>();

  add({ toleration, text }: Described): void {
    if (this.#texts.has(text)) return;
    this.#texts.add(text);
    const { operator = '', key = '', effect = '', value = '', tolerationSeconds } = toleration;
    if (operator !== '' && operator !== 'Equal' && operator !== 'Exists') return;
    const seconds = effect === 'NoExecute' ? secondsOf(tolerationSeconds) : ALWAYS;
    const place = placeOf(key, effect, operator === 'Exists' ? undefined : value);
    const known = this.#widest.get(place);
    this.#widest.set(place, widerOf(known, text, seconds));
  }

  /** Reports whether a toleration equals, or is narrower than, one of these. */
  covers(narrow: Described): boolean {
    return this.#texts.has(narrow.text) || this.#isNarrower(narrow, ({ seconds }) => seconds);
  }

  /** The same for those that do not equal it. */
  coversOther(narrow: Described): boolean {
    return this.#isNarrower(narrow, ({ text, seconds, other }) => (text === narrow.text ? other : seconds));
  }

  #isNarrower({ toleration }: Described, ofWidest: (widest: Widest) => number | undefined): boolean {
    const least = secondsOf(toleration.tolerationSeconds);
    return placesAround(toleration).some((place) => {
      const widest = this.#widest.get(place);
      const seconds = widest && ofWidest(widest);
      return seconds !== undefined && seconds >= least;
    });
  }
}

function widerOf(known: Widest | undefined, text: string, seconds: number): Widest {
  if (known === undefined) return { text, seconds, other: undefined };
  if (seconds > known.seconds) return { text, seconds, other: known.seconds };
  return { ...known, other: Math.max(seconds, known.other ?? seconds) };
}

/** `value` is undefined for the operator Exists. */
function placeOf(key: string, effect: string, value: string | undefined): string {
  return JSON.stringify([key, effect, value]);
}

/** The places of all tolerations that may cover one. */
function placesAround({ operator, key = '', effect = '', value = '' }: Toleration): readonly string[] {
  const effects = [...new Set([effect, ''])];
  return effects.flatMap((of) => [
    placeOf('', of, undefined),
    placeOf(key, of, undefined),
    ...(operator === 'Equal' ? [placeOf(key, of, value)] : []),
  ]);
}
