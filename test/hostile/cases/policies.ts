import { setTimeout as sleep } from 'node:timers/promises';
import { type Attacker, CONFIG_MAPS, type HostileCase, type HostileResponse, sending } from '../hostile-case.ts';

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

/** Creates a policy that selects one object, and that object: its expressions are compiled twice. */
async function createSelected(
  attacker: Attacker,
  name: string,
  validations: readonly object[],
): Promise<HostileResponse> {
  const resourceRules = [{ operations: ['CREATE'], apiGroups: [''], apiVersions: ['v1'], resources: ['configmaps'] }];
  const objectSelector = { matchLabels: { policy: name } };
  // The last one refuses: its response shows that the policy is in effect.
  const refusing = { expression: 'false', message: 'refused' };
  const spec = { matchConstraints: { resourceRules, objectSelector }, validations: [...validations, refusing] };
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

function compiling(name: string, validations: () => readonly object[]): HostileCase {
  return {
    name,
    status: 422,
    request: (name) => sending('POST', CONFIG_MAPS, 'json', JSON.stringify({ metadata: { name } })),
    attack: (attacker, name) => createSelected(attacker, name, validations()),
  };
}

/** Admission policies that take long to compile. */
export const POLICY_CASES: readonly HostileCase[] = [
  compiling('a policy of 5 expressions as long as may be', () =>
    Array.from({ length: 5 }, () => ({ expression: longExpression(MAX_EXPRESSION - 100) })),
  ),
  compiling('a policy of 500 expressions of 2,000 characters', () =>
    Array.from({ length: 500 }, () => ({ expression: longExpression(2_000) })),
  ),
];
