import { DEFINITIONS } from '../../../harness/custom-resource-definition.ts';
import { type HostileCase, sending } from '../../hostile-case.ts';

const GROUP = 'definitions.example.com';
const MOST_VERSIONS = 300;

const many = <T>(count: number, item: (i: number) => T): T[] => Array.from({ length: count }, (_, i) => item(i));
const fields = (count: number, schema: object) =>
  Object.fromEntries(many(count, (i) => [`f${i}`, { type: 'string', ...schema }]));

const version = (name: string, properties: object, rest: object = {}) => ({
  ...{ name, served: true, storage: name === 'v1' },
  schema: { openAPIV3Schema: { type: 'object', properties: { spec: { type: 'object', properties } } } },
  ...rest,
});

interface Definition {
  readonly versions: readonly object[];
  readonly names?: object;
}

/** A new definition each time, which is deleted again. */
const creating = (what: string, kind: string, make: () => Definition, status = 201): HostileCase => ({
  name: what,
  request: () => ({ method: 'GET', path: DEFINITIONS }),
  attack: async (attacker) => {
    const plural = `${kind.toLowerCase()}s`;
    const { versions, names } = make();
    const spec = { group: GROUP, scope: 'Namespaced', names: { plural, kind, ...names }, versions };
    const metadata = { name: `${plural}.${GROUP}` };
    const response = await attacker.send(sending('POST', DEFINITIONS, 'json', JSON.stringify({ metadata, spec })));
    const { name } = metadata;
    if (response.status !== 201) return response;
    await attacker.send({ method: 'GET', path: `/openapi/v3/apis/${GROUP}/v1` });
    await attacker.send({ method: 'GET', path: '/openapi/v2' });
    await attacker.send({ method: 'DELETE', path: `${DEFINITIONS}/${name}` });
    return response;
  },
  status,
  maxResponse: 4 * 2 ** 20,
});

/** Definitions with very much of what a definition may have. */
export const DEFINITION_CASES: readonly HostileCase[] = [
  creating(`${MOST_VERSIONS} versions`, 'Versioned', () => ({
    versions: many(MOST_VERSIONS, (i) => version(`v${i + 1}`, fields(30, {}))),
  })),
  creating('3,000 versions', 'Versions', () => ({ versions: many(3_000, (i) => version(`v${i + 1}`, {})) }), 422),
  creating(
    '40,000 selectable fields',
    'Selected',
    () => {
      const selectableFields = many(40_000, (i) => ({ jsonPath: `.spec.f${i % 50}['a${i}']` }));
      return { versions: [version('v1', fields(50, {}), { selectableFields })] };
    },
    422,
  ),
  creating('20,000 columns', 'Shown', () => {
    const additionalPrinterColumns = many(20_000, (i) => ({ name: `c${i}`, type: 'string', jsonPath: `.spec.f${i}` }));
    return { versions: [version('v1', {}, { additionalPrinterColumns })] };
  }),
  creating('4,000 rules', 'Ruled', () => ({
    versions: [
      version(
        'v1',
        fields(2_000, { maxLength: 9, 'x-kubernetes-validations': [{ rule: "self != 'a'" }, { rule: 'true' }] }),
      ),
    ],
  })),
  creating('30,000 short names and categories', 'Named', () => ({
    versions: [version('v1', {})],
    names: { shortNames: many(30_000, (i) => `s${i}`), categories: many(30_000, (i) => `c${i}`) },
  })),
];
