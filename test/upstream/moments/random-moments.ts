import { customResourceDefinition, DEFINITIONS } from '../../harness/custom-resource-definition.ts';
import type { Random } from '../../watch/random.ts';

/** A write, between whose moments requests are compared. */
export interface Step {
  readonly method: 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  readonly path: string;
  readonly body?: object;
}

/** The life of a definition in a group of its own. */
export interface MomentsCase {
  readonly group: string;
  readonly steps: readonly Step[];
}

/** The part of a definition that a client can change. */
interface State {
  readonly served: readonly [boolean, boolean];
  readonly stored: 0 | 1;
  readonly hasSecond: boolean;
  readonly hasStatus: boolean;
  readonly kind: string;
  readonly isDeprecated: boolean;
  readonly hasField: boolean;
}

const FIRST: State = {
  served: [true, true],
  stored: 0,
  hasSecond: false,
  hasStatus: false,
  kind: 'A',
  isDeprecated: false,
  hasField: false,
};

function specOf(group: string, state: State) {
  const spec = { type: 'object', properties: state.hasField ? { a: { type: 'string', default: 'd' } } : {} };
  const base = customResourceDefinition(group, 'A', { properties: { spec } }).spec;
  const versions = ['v1', ...(state.hasSecond ? ['v2'] : [])].map((name, at) => ({
    ...base.versions[0],
    name,
    served: state.served[at],
    storage: state.stored === at,
    ...(state.isDeprecated && at === 0 && { deprecated: true }),
    ...(state.hasStatus && { subresources: { status: {} } }),
  }));
  return { ...base, scope: 'Cluster', names: { plural: 'as', kind: state.kind }, versions };
}

function changed(random: Random, state: State): State {
  const [first, second] = state.served;
  switch (random.below(state.hasSecond ? 8 : 5)) {
    case 0:
      return { ...state, hasSecond: true };
    case 1:
      return { ...state, hasStatus: !state.hasStatus };
    case 2:
      return { ...state, kind: state.kind === 'A' ? 'B' : 'A' };
    case 3:
      return { ...state, isDeprecated: !state.isDeprecated };
    case 4:
      return { ...state, hasField: !state.hasField };
    case 5:
      return { ...state, served: [!first, second] };
    case 6:
      return { ...state, served: [first, !second] };
    default:
      return { ...state, stored: state.stored === 0 ? 1 : 0 };
  }
}

let made = 0;

/** A definition is made, changed, deleted while it has an object, and perhaps made again. */
export function randomMoments(random: Random): MomentsCase {
  const group = `moments${made++}.example.com`;
  const path = `${DEFINITIONS}/as.${group}`;
  const object = `/apis/${group}/v1/as`;
  const create = (state: State): Step => ({
    method: 'POST',
    path: DEFINITIONS,
    body: { ...customResourceDefinition(group, 'A'), spec: specOf(group, state) },
  });
  const metadata = { name: 'x', ...(random.chance(0.7) && { finalizers: ['example.com/held'] }) };
  const steps: Step[] = [
    create(FIRST),
    { method: 'POST', path: object, body: { apiVersion: `${group}/v1`, kind: 'A', metadata } },
  ];
  let state = FIRST;
  const change = () => {
    state = changed(random, state);
    steps.push({ method: 'PATCH', path, body: { spec: specOf(group, state) } });
  };
  for (let left = 1 + random.below(4); left > 0; left--) change();
  if (random.chance(0.6)) {
    steps.push({ method: 'DELETE', path });
    if (random.chance(0.4)) change();
    if (random.chance(0.3)) steps.push(create(FIRST));
  }
  return { group, steps };
}
