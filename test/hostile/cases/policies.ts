import { setTimeout as sleep } from 'node:timers/promises';
import { type Attacker, CONFIG_MAPS, type HostileCase, type HostileResponse, MIB, sending } from '../hostile-case.ts';

const ROOT = '/apis/admissionregistration.k8s.io/v1';
const POLICIES = `${ROOT}/validatingadmissionpolicies`;
const BINDINGS = `${ROOT}/validatingadmissionpolicybindings`;
/** Milliseconds in which a policy takes effect. */
const DEADLINE = 20_000;
/** Characters of an expression. */
const MAX_EXPRESSION = 100_000;

/** A true expression of about this many characters. */
function longExpression(length: number): string {
  const term = "object.metadata.name.startsWith('a')";
  return `true || ${Array.from({ length: Math.floor(length / (term.length + 4)) }, () => term).join(' && ')}`;
}

/** The expressions of a policy. */
interface Expressions {
  readonly variables?: readonly object[];
  readonly validations?: readonly object[];
}

/** Creates a policy that selects one object, and that object: its expressions are compiled twice. */
async function createSelected(
  attacker: Attacker,
  name: string,
  { variables = [], validations = [] }: Expressions,
): Promise<HostileResponse> {
  const resourceRules = [{ operations: ['CREATE'], apiGroups: [''], apiVersions: ['v1'], resources: ['configmaps'] }];
  const objectSelector = { matchLabels: { policy: name } };
  // The last one refuses: its response shows that the policy is in effect.
  const refusing = { expression: 'false', message: 'refused' };
  const matchConstraints = { resourceRules, objectSelector };
  const spec = { matchConstraints, variables, validations: [...validations, refusing] };
  const created = await attacker.send(sending('POST', POLICIES, 'json', JSON.stringify({ metadata: { name }, spec })));
  if (created.status !== 201) return created;
  const binding = { metadata: { name }, spec: { policyName: name, validationActions: ['Deny'] } };
  await attacker.send(sending('POST', BINDINGS, 'json', JSON.stringify(binding)));
  const object = JSON.stringify({ metadata: { name, labels: { policy: name } } });
  try {
    for (const end = Date.now() + DEADLINE; ; await sleep(10)) {
      const response = await attacker.send(sending('POST', `${CONFIG_MAPS}?dryRun=All`, 'json', object));
      if (response.status !== 201 || Date.now() > end) return response;
    }
  } finally {
    await attacker.send({ method: 'DELETE', path: `${BINDINGS}/${name}` });
    await attacker.send({ method: 'DELETE', path: `${POLICIES}/${name}` });
  }
}

function compiling(
  name: string,
  expressions: () => Expressions,
  rest: Pick<HostileCase, 'maxResponse'> = {},
): HostileCase {
  return {
    name,
    ...rest,
    status: 422,
    request: (name) => sending('POST', CONFIG_MAPS, 'json', JSON.stringify({ metadata: { name } })),
    attack: (attacker, name) => createSelected(attacker, name, expressions()),
  };
}

/** Variables, each of which reads the one before. */
const chain = (length: number, first: string, next: (before: string) => string) =>
  Array.from({ length }, (_, index) => ({
    name: `v${index}`,
    expression: index === 0 ? first : next(`variables.v${index - 1}`),
  }));

/** Admission policies that take long to compile or to evaluate. */
export const POLICY_CASES: readonly HostileCase[] = [
  compiling('a policy of 5 expressions as long as may be', () => ({
    validations: Array.from({ length: 5 }, () => ({ expression: longExpression(MAX_EXPRESSION - 100) })),
  })),
  compiling('a policy of 500 expressions of 2,000 characters', () => ({
    validations: Array.from({ length: 500 }, () => ({ expression: longExpression(2_000) })),
  })),
  compiling(
    'a policy of 3,000 variables, each of which has the one before',
    () => ({
      variables: chain(3_000, '{"a": "b"}', (before) => `{"a": dyn(${before})}`),
      validations: [{ expression: 'size(variables.v2999) == 5' }],
    }),
    // The error names them all.
    { maxResponse: MIB },
  ),
  ...Object.entries({
    format: '"%s".format([variables.v39]) == ""',
    search: 'variables.v39.indexOf(variables.v38) == 1',
    comparison: 'variables.v39.distinct() == []',
    set: 'sets.contains(variables.v39, variables.v39)',
    'search in optional values': '[optional.of(variables.v39)].indexOf(optional.of(variables.v39)) == 1',
  }).map(([name, expression]) =>
    compiling(`a ${name} of a list in itself, again and again`, () => ({
      variables: chain(40, '["a"]', (before) => `[${before}, ${before}]`),
      validations: [{ expression }],
    })),
  ),
  ...['join("") == ""', 'slice(0, 1000000000) == []', 'reverse() == []'].map((call) =>
    compiling(`a list added to itself, and ${call}`, () => ({
      variables: chain(60, '["a"]', (before) => `${before} + ${before}`),
      validations: [{ expression: `variables.v59.${call}` }],
    })),
  ),
];
