import type { KubeObject } from '@apiserver/apimachinery';
import { type FieldError, fieldErrorBody, OMITTED_VALUE } from '@apiserver/apimachinery/field';
import type { Strategy, VerbContext } from '@apiserver/apiserver-contracts';
import { allErrors } from '../all-errors.js';
import { decodedInHub, type ServedKind } from '../recorded-kinds/served-kinds.js';
import { type Change, changesOf } from './changes.js';
import type { FullObject } from './full-object.js';

type Operation = (object: KubeObject) => Promise<readonly string[]>;

/**
 * Faults and warnings of a kind's strategies for each change of an object, as text. Below a path stands each fault, and
 * below it the operations and changes that have it; all changes if none is named. A change without a fault is accepted.
 * Faults of the unchanged object are not repeated.
 */
export async function outcomesOf(served: ServedKind, full: FullObject, context: VerbContext): Promise<string> {
  const operations = Object.entries(operationsOf(served, full, context));
  const usual = new Map<string, readonly string[]>();
  const unchanged = objectOf(served, full, full.fields);
  for (const [operation, check] of operations) usual.set(operation, unchanged ? await check(unchanged()) : []);
  const places = new Map<string, Place>([['unchanged', { changes: [], faults: new Map() }]]);
  for (const [operation, lines] of usual) for (const line of lines) addFault(places, 'unchanged', line, operation);
  for (const { path, name, value } of allChanges(served, full)) {
    const object = objectOf(served, full, value);
    if (object === undefined) continue;
    placeAt(places, path).changes.push(name);
    for (const [operation, check] of operations) {
      if ((operation === 'status') !== path.startsWith('status')) continue;
      const before = usual.get(operation) ?? [];
      for (const line of new Set(await check(object()))) {
        if (!before.includes(line)) addFault(places, path, line, operation, name);
      }
    }
  }
  return [...places].map(([path, place]) => shownPlace(path, place)).join('');
}

/** The changes of one path, and by fault and operation those that have it. */
interface Place {
  readonly changes: string[];
  readonly faults: Map<string, Map<string, string[]>>;
}

function placeAt(places: Map<string, Place>, path: string): Place {
  const place = places.get(path) ?? { changes: [], faults: new Map() };
  places.set(path, place);
  return place;
}

function addFault(places: Map<string, Place>, path: string, line: string, ...[operation, change]: string[]): void {
  const { faults } = placeAt(places, path);
  const byOperation = faults.get(line) ?? new Map<string, string[]>();
  faults.set(line, byOperation);
  byOperation.set(operation ?? '', [
    ...(byOperation.get(operation ?? '') ?? []),
    ...(change === undefined ? [] : [change]),
  ]);
}

function shownPlace(path: string, { changes, faults }: Place): string {
  const lines = [...faults].flatMap(([line, byOperation]) => {
    const operations = Map.groupBy([...byOperation], ([, names]) =>
      names.length === changes.length ? '' : `: ${names.join(' | ')}`,
    );
    return [...operations].map(([names, of]) => {
      const [type = '', place = '', ...text] = line.split(' ');
      const below = place.startsWith(path) ? place.slice(path.length) : place;
      const fault = [below === ':' ? `${type}:` : `${type} ${below}`.trimEnd(), ...text].join(' ');
      return `  ${fault}\n    ${of.map(([operation]) => operation).join(', ')}${names}\n`;
    });
  });
  return lines.length === 0 ? '' : `${path}\n${lines.join('')}`;
}

const NOT_WALKED = ['apiVersion', 'kind', 'metadata'];

function* allChanges({ version }: ServedKind, full: FullObject): Generator<Change, void> {
  const { fields, skipped = [], below = '' } = full;
  for (const change of changesOf(version.schema.schema, fields, [...NOT_WALKED, ...skipped])) {
    if (change.path.startsWith(below)) yield change;
  }
  for (const also of full.also ?? []) {
    const fields: Record<string, unknown> = structuredClone({ ...full.fields });
    for (const [path, value] of Object.entries(also)) setAt(fields, path.split('.'), value);
    const ofStatus = Object.keys(also).every((path) => path.startsWith('status'));
    yield { path: ofStatus ? 'status, several' : 'several', name: brief(also), value: fields };
  }
}

const LONGEST = 90;
const LONGEST_LINE = 150;

function brief(also: object): string {
  const text = JSON.stringify(also, (_, value) => value ?? null);
  return text.length > LONGEST ? `${text.slice(0, LONGEST)}… of ${text.length} characters` : text;
}

function setAt(parent: Record<string, unknown>, [first = '', ...below]: readonly string[], value: unknown): void {
  if (below.length > 0) {
    parent[first] ??= {};
    setAt(parent[first] as Record<string, unknown>, below, value);
  } else if (value === undefined) delete parent[first];
  else parent[first] = value;
}

/** Builds a new changed object for each operation. Undefined if no body can have the value. */
function objectOf(
  served: ServedKind,
  { apiVersion, kind, name = 'a', annotations = {}, labels = {} }: FullObject,
  fields: unknown,
): (() => KubeObject) | undefined {
  const { scope } = served.definition;
  const metadata = { name, uid: 'u', resourceVersion: '1', ...(scope === 'Namespaced' && { namespace: 'ns' }) };
  const sent = { apiVersion, kind, metadata: { ...metadata, annotations, labels }, ...(fields as object) };
  const make = () => decodedInHub(served, sent);
  try {
    make();
    return make;
  } catch {
    return undefined;
  }
}

function operationsOf(served: ServedKind, full: FullObject, context: VerbContext): Readonly<Record<string, Operation>> {
  const { strategy, subresources } = served.definition;
  const stored = objectOf(served, full, full.fields)?.();
  if (stored === undefined) throw new Error(`${full.kind} ${full.name} cannot be decoded`);
  const update = (of: Strategy) => async (object: KubeObject) => {
    await of.prepareForUpdate?.(context, object, stored);
    const errors = await allErrors(of, context, object, stored);
    return [...errors.map(shownError), ...(of.warningsOnUpdate?.(context, object, stored) ?? []).map(shownWarning)];
  };
  const create = async (object: KubeObject) => {
    await strategy.prepareForCreate?.(context, object);
    const errors = await allErrors(strategy, context, object);
    return [...errors.map(shownError), ...(strategy.warningsOnCreate?.(context, object) ?? []).map(shownWarning)];
  };
  const others = ['status', ...(full.subresources ?? [])].flatMap((name) => {
    const of = subresources[name]?.strategy;
    return of === undefined ? [] : [[name, update(of)] as const];
  });
  if (full.onlyCreated) return { create };
  return { create, update: update(strategy), ...Object.fromEntries(others) };
}

const TITLE = /^[^:]*:? ?/;

/** Without the value, so that several values have the same outcome, and without the lines of a difference. */
function shownError(error: FieldError): string {
  const [line = ''] = fieldErrorBody({ ...error, badValue: OMITTED_VALUE })
    .replace(TITLE, '')
    .split('\n');
  return cut(`${error.type.replace('FieldValue', '')} ${error.field}${line === '' ? '' : `: ${line}`}`);
}

function cut(line: string): string {
  return line.length > LONGEST_LINE ? `${line.slice(0, LONGEST_LINE)}…` : line;
}

function shownWarning(warning: string): string {
  return cut(`Warning ${warning}`);
}
