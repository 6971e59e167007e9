import { setTimeout as sleep } from 'node:timers/promises';
import { type Attacker, CONFIG_MAPS, type HostileCase, type HostileResponse, sending } from '../../hostile-case.ts';

const ROOT = '/apis/admissionregistration.k8s.io/v1';
const WEBHOOKS = `${ROOT}/validatingwebhookconfigurations`;
const POLICIES = `${ROOT}/validatingadmissionpolicies`;
const BINDINGS = `${ROOT}/validatingadmissionpolicybindings`;
const CONFIGURATIONS = 50;
/** Webhooks of one configuration. */
const SIZE = 100;
const POLICY_COUNT = 300;
/** Milliseconds in which all configurations take effect. */
const DELAY = 2_000;
/** Nothing listens there. */
const NOWHERE = 'https://127.0.0.1:1/';

const many = <T>(count: number, item: (i: number) => T): T[] => Array.from({ length: count }, (_, i) => item(i));
const rule = { operations: ['CREATE'], apiGroups: [''], apiVersions: ['v1'], resources: ['configmaps'] };

/** Creates an object with a label while objects of these lists are there that select it. */
async function createBeside(
  attacker: Attacker,
  name: string,
  lists: readonly (readonly [path: string, objects: readonly object[]])[],
): Promise<HostileResponse> {
  const removed = lists.map(([path]) => ({ method: 'DELETE', path: `${path}?labelSelector=crowd=${name}` }));
  try {
    for (const [path, objects] of lists) {
      for (const object of objects) {
        const made = { metadata: { name: `${name}-${objects.indexOf(object)}`, labels: { crowd: name } }, ...object };
        const response = await attacker.send(sending('POST', path, 'json', JSON.stringify(made)));
        if (response.status !== 201) return response;
      }
    }
    await sleep(DELAY);
    const object = JSON.stringify({ metadata: { name, labels: { crowd: name } } });
    return await attacker.send(sending('POST', CONFIG_MAPS, 'json', object));
  } finally {
    for (const request of removed) await attacker.send(request);
  }
}

const webhooks = (crowd: string) =>
  many(CONFIGURATIONS, () => ({
    webhooks: many(SIZE, (i) => ({
      name: `h${i}.example.com`,
      clientConfig: { url: NOWHERE },
      failurePolicy: 'Ignore',
      rules: [rule],
      objectSelector: { matchLabels: { crowd } },
      sideEffects: 'None',
      admissionReviewVersions: ['v1'],
    })),
  }));

const policies = (crowd: string) =>
  many(POLICY_COUNT, (i) => ({
    spec: {
      matchConstraints: { resourceRules: [rule], objectSelector: { matchLabels: { crowd } } },
      variables: [{ name: 'v', expression: `object.metadata.name + '${i}'` }],
      validations: many(5, (k) => ({ expression: `variables.v != 'x${i}-${k}'` })),
    },
  }));
const bindings = (name: string) =>
  many(POLICY_COUNT, (i) => ({ spec: { policyName: `${name}-${i}`, validationActions: ['Deny'] } }));

/** Very many configurations of an administrator, for one request. */
export const ADMISSION_CROWD_CASES: readonly HostileCase[] = [
  {
    name: `${CONFIGURATIONS * SIZE} webhooks that cannot be reached`,
    request: () => ({ method: 'GET', path: WEBHOOKS }),
    attack: (attacker, name) => createBeside(attacker, name, [[WEBHOOKS, webhooks(name)]]),
    status: 201,
  },
  {
    name: `${POLICY_COUNT} policies`,
    request: () => ({ method: 'GET', path: POLICIES }),
    attack: (attacker, name) =>
      createBeside(attacker, name, [
        [POLICIES, policies(name)],
        [BINDINGS, bindings(name)],
      ]),
    status: 201,
  },
];
