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

/** Group versions and resources of one policy: the types of each are in a document of its own. */
const KINDS = [
  ...['/v1/pods', 'apps/v1/deployments', 'batch/v1/jobs', 'autoscaling/v2/horizontalpodautoscalers'],
  ...['networking.k8s.io/v1/ingresses', 'policy/v1/poddisruptionbudgets', 'storage.k8s.io/v1/storageclasses'],
  ...['rbac.authorization.k8s.io/v1/roles', 'resource.k8s.io/v1/resourceclaims', 'discovery.k8s.io/v1/endpointslices'],
];
/** Milliseconds in which the types of some policies are checked. */
const CHECKED = 3_000;

/** Creates policies whose expressions are checked against the types of ten documents each. */
async function checkTypes(attacker: Attacker, name: string): Promise<HostileResponse> {
  const resourceRules = KINDS.map((kind) => {
    const [group, version, resource] = kind.split('/');
    return { operations: ['CREATE'], apiGroups: [group], apiVersions: [version], resources: [resource] };
  });
  const spec = {
    matchConstraints: { resourceRules, objectSelector: { matchLabels: { policy: name } } },
    validations: [{ expression: 'object.metadata.name != "x"' }],
  };
  const names = Array.from({ length: 10 }, (_, i) => `${name}-${i}`);
  try {
    let response: HostileResponse | undefined;
    for (const policy of names) {
      const body = JSON.stringify({ metadata: { name: policy }, spec });
      response = await attacker.send(sending('POST', POLICIES, 'json', body));
    }
    await sleep(CHECKED);
    return response as HostileResponse;
  } finally {
    for (const policy of names) await attacker.send({ method: 'DELETE', path: `${POLICIES}/${policy}` });
  }
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
  {
    name: 'types of ten documents, in ten policies',
    request: () => ({ method: 'GET', path: POLICIES }),
    attack: checkTypes,
    status: 201,
  },
];
