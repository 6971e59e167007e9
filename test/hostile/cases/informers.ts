import { DEFINITIONS } from '../../harness/custom-resource-definition.ts';
import { type HostileCase, type HostileRequest, KIB, sending } from '../hostile-case.ts';

const list = (count: number, item: (i: number) => string) => Array.from({ length: count }, (_, i) => item(i)).join(',');

/** The response has the object, with its managed fields. */
const maxResponse = 4 * 1024 * KIB;

const NAMESPACE = '/api/v1/namespaces/default';
const RBAC = '/apis/rbac.authorization.k8s.io/v1';
const REGISTRATION = '/apis/admissionregistration.k8s.io/v1';

/** As many as the store accepts, with their managed fields. */
const LABELS = 45_000;
const labels = () => `"labels":{${list(LABELS, (i) => `"k${i}":""`)}}`;

/** A new object that an informer of the server decodes, and one that replaces it. */
function followed(name: string, path: string, rest: string): readonly HostileCase[] {
  const body = (of: string, metadata: string) => `{"metadata":{"name":"${of}"${metadata}}${rest}}`;
  const object = `${path}/${name.replaceAll(' ', '-')}`;
  const [of] = object.split('/').slice(-1);
  const existing: readonly HostileRequest[] = [
    { method: 'DELETE', path: object },
    sending('POST', path, 'json', body(of ?? '', '')),
  ];
  return [
    {
      name: `${name} of many labels`,
      request: (made) => sending('POST', path, 'json', body(made, `,${labels()}`)),
      maxResponse,
      status: 201,
    },
    {
      name: `many labels for ${name}`,
      before: existing,
      request: () => sending('PATCH', object, 'merge', `{"metadata":{${labels()}}}`),
      maxResponse,
      status: 200,
    },
  ];
}

const rule = (i: number) => `{"verbs":["get"],"apiGroups":["g${i}"],"resources":["things"]}`;
const role = (name: string, rules: string) => `{"metadata":{"name":"${name}"},"rules":[${rules}]}`;

function definition(name: string, schema: string): string {
  const group = `${name}.example.com`;
  const names = '{"plural":"things","kind":"Thing","singular":"thing","listKind":"ThingList"}';
  const version = `{"name":"v1","served":true,"storage":true,"schema":{"openAPIV3Schema":${schema}}}`;
  return (
    `{"metadata":{"name":"things.${group}"},` +
    `"spec":{"group":"${group}","scope":"Cluster","names":${names},"versions":[${version}]}}`
  );
}

const struct = (properties: string) => `{"type":"object","properties":{${properties}}}`;
const removed = (name: string): HostileRequest => ({
  method: 'DELETE',
  path: `${DEFINITIONS}/things.${name}.example.com`,
});

/** Large objects that informers of the server decode: for authorization, admission and custom resources. */
export const INFORMER_CASES: readonly HostileCase[] = [
  {
    name: 'a role of 14,000 rules',
    request: (name) => sending('POST', `${RBAC}/clusterroles`, 'json', role(name, list(14_000, rule))),
    maxResponse,
    status: 201,
  },
  {
    name: 'a rule of 90,000 names',
    request: (name) => {
      const names = list(90_000, (i) => `"n${i}"`);
      const rules = `{"verbs":["get"],"apiGroups":[""],"resources":["pods"],"resourceNames":[${names}]}`;
      return sending('POST', `${RBAC}/namespaces/default/roles`, 'json', role(name, rules));
    },
    maxResponse,
    status: 201,
  },
  ...['4,000', '12,000'].map(
    (count): HostileCase => ({
      name: `a definition of ${count} properties`,
      before: [removed(`p${count.replace(',', '')}`)],
      request: () => {
        const properties = list(Number(count.replace(',', '')), (i) => `"p${i}":{"type":"string","description":"a"}`);
        const body = definition(`p${count.replace(',', '')}`, struct(`"spec":${struct(properties)}`));
        return sending('POST', DEFINITIONS, 'json', body);
      },
      maxResponse,
      status: 201,
    }),
  ),
  ...followed('a cluster role', `${RBAC}/clusterroles`, ',"rules":[]'),
  ...followed('a namespace', '/api/v1/namespaces', ''),
  ...followed('a service account', `${NAMESPACE}/serviceaccounts`, ''),
  ...followed('a limit range', `${NAMESPACE}/limitranges`, ',"spec":{"limits":[]}'),
  ...followed('a resource quota', `${NAMESPACE}/resourcequotas`, ',"spec":{}'),
  ...followed('a webhook configuration', `${REGISTRATION}/validatingwebhookconfigurations`, ''),
];
